import type { RequestHandler, Router } from 'express';

import { refuseOtherMethods } from '../../core/http/handle.js';
import { emitFor } from '../../core/observability/events.js';
import { createAccountRouter } from '../../pages/account-pages.js';
import { describeScope } from '../../pages/consent/describe-scopes.js';
import { countingInvitations, ownerPages } from '../../pages/owner-pages.js';
import type { Server } from '../../server/server.js';
import { pathOf } from '../../settings/endpoint-urls.js';
import { switchedOn } from '../../settings/table/switched-on.js';
import { OAuthError } from '../../shared/errors.js';
import { createKeyedMutex } from '../../shared/limits/keyed-mutex.js';
import { newToken, showNew } from './new-token-page.js';
import type { Step } from './rotate-token.js';
import { narrowToken, revokeAllTokens, revokeToken, rotate } from './token-changes.js';
import { toTokenInfo } from './token-info.js';
import { createTokenOwners } from './token-owners.js';
import {
  type OwnedToken,
  renderToken,
  showToken,
  showTokens,
  type TokensContext,
  toOwnedToken,
} from './token-page.js';
import { createTokenService, noSuchToken } from './token-service.js';

/** A site's own Passport strategy may take a token for a user: no token makes, widens or lists tokens. */
const refuseTokens: RequestHandler = ({ headers: { authorization = '' } }, _res, next) => {
  if (/^(bearer|dpop) /i.test(authorization))
    throw new OAuthError('access_denied', 'a program with a token cannot use this page', { status: 403 });
  next();
};

const allowMethods: RequestHandler = (req, res, next) =>
  req.path !== '/' || ['GET', 'HEAD', 'POST'].includes(req.method)
    ? next()
    : refuseOtherMethods('GET', 'POST')(req, res, next);

const owners = ownerPages<TokensContext, OwnedToken, Step>({
  endpoint: 'access-tokens',
  async find({ models: { grants } }, visit) {
    const { id, userId, now } = visit;
    const grant = await grants.findNamedToken(id, { ownerId: userId }, now);
    if (grant === null) throw noSuchToken();
    return toOwnedToken(grant, userId);
  },
  async findInvited({ owners, settings }, { id, userId, now }) {
    const invited = await owners.listInvited(userId, now);
    const found = invited.find(({ grant }) => grant.grantId === id);
    if (found === undefined) return undefined;
    const { name, purpose, scopes, createdAt } = toTokenInfo(found.grant);
    return {
      thing: toOwnedToken(found.grant, userId),
      invitation: found.invitation,
      page: {
        view: 'access-token-invitation',
        describe: ({ text, day, locale }) => ({
          name,
          purpose,
          scopes: scopes.map((scope) => describeScope(settings.scopes, scope, locale)),
          made: day(createdAt),
          meaning: text('tokens.acceptMeaning'),
        }),
      },
    };
  },
  noSuchThing: noSuchToken,
  render: (context, visit, { grant }, form) =>
    renderToken(context, visit, { token: toTokenInfo(grant), grant, ...form }),
  storeOf: ({ owners }) => owners,
  actOf: ({ stepOf }, visit) => stepOf(visit),
  async hasRoom({ models: { grants }, options: { maxTokens } }, { id, userId: ownerId, now }) {
    if ((await grants.findNamedToken(id, { ownerId }, now)) !== null) return true;
    return (await grants.countNamedTokens({ ownerId }, now, maxTokens)) < maxTokens;
  },
  noRoom: 'toomanytokens',
  removalMeaning: (_token, text) => text('tokens.removeOwnerMeaning'),
  isRemovalRedisplayed: false,
});

/**
 * The pages on which users make, see, replace and end the tokens of their own programs. What they show and change is
 * always the logged-in user's: no user id is read from a request.
 */
export function createTokensPages(server: Server): Router {
  const { settings, models, events } = server;
  const options = switchedOn(settings.personalAccessTokens, 'personalAccessTokens');
  const context: TokensContext = {
    ...server,
    ...server.rendering,
    options,
    service: createTokenService({ ...server, options }),
    owners: createTokenOwners(models.grants),
    stepOf: ({ req, now }) => ({ now, emit: emitFor(events, req) }),
    countInvitation: countingInvitations(settings, events, 'access-tokens', models.failures),
    keyedMutex: createKeyedMutex(),
    root: pathOf(settings, 'access-tokens'),
  };
  return createAccountRouter(context, {
    endpoint: 'access-tokens',
    before: [refuseTokens],
    after: [allowMethods],
    // the page of the token whose form was sent
    formPathOf(path) {
      const [, token = '', action = ''] = /^(\/[\w-]{22})\/([^/]+)$/.exec(path) ?? [];
      return token + (['accept', 'decline'].includes(action) ? '/invitation' : '');
    },
    pages: { '/': showTokens, '/new': showNew, '/:id': showToken, ...owners.pages },
    forms: {
      '/': newToken,
      '/revoke-all': revokeAllTokens,
      '/:id/scopes': narrowToken,
      '/:id/rotate': rotate,
      '/:id/revoke': revokeToken,
      ...owners.forms,
    },
  });
}
