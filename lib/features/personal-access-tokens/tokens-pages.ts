import type { RequestHandler, Router } from 'express';

import { refuseOtherMethods } from '../../core/http/handle.js';
import { emitFor } from '../../core/observability/events.js';
import { createAccountRouter } from '../../pages/account-pages.js';
import { describeScope } from '../../pages/consent/describe-scopes.js';
import { ownerPages, ownersParts } from '../../pages/owner-pages.js';
import type { Server } from '../../server/server.js';
import { pathOf } from '../../settings/endpoint-urls.js';
import { requireEnabled } from '../../settings/table/require-enabled.js';
import { OAuthError } from '../../shared/errors.js';
import { newToken, showNew } from './new-token-page.js';
import { MAX_TOKENS } from './options.js';
import { narrowToken, revokeAllTokens, revokeToken, rotate } from './token-changes.js';
import { toTokenInfo } from './token-info.js';
import { createTokenOwners } from './token-owners.js';
import { renderToken, showToken, showTokens, type TokensContext, toOwnedToken } from './token-page.js';
import { createTokenService, noSuchToken } from './token-service.js';

/** The site's Passport strategy may accept a token as a login; but no token may make, widen or list tokens. */
const refuseTokens: RequestHandler = ({ headers: { authorization = '' } }, _res, next) => {
  if (/^(bearer|dpop) /i.test(authorization))
    throw new OAuthError('access_denied', 'a program with a token cannot use this page', { status: 403 });
  next();
};

const allowMethods: RequestHandler = (req, res, next) =>
  req.path !== '/' || ['GET', 'HEAD', 'POST'].includes(req.method)
    ? next()
    : refuseOtherMethods('GET', 'POST')(req, res, next);

const owners = ownerPages<TokensContext>({
  async find(context, visit) {
    const { id, userId: ownerId, now } = visit;
    const grant = await context.models.grants.findNamedToken(id, { ownerId }, now);
    if (grant === null) throw noSuchToken();
    return {
      ...toOwnedToken(grant, visit),
      render: (form) => renderToken(context, visit, { token: toTokenInfo(grant), grant, ...form }),
      removalMeaning: (text) => text('tokens.removeOwnerMeaning'),
    };
  },
  async findInvited({ ownership, settings }, visit) {
    const invited = await ownership.listInvitations(visit.userId, visit.now);
    const invitation = invited.find(({ thing }) => thing.grant.grantId === visit.id);
    if (invitation === undefined) return undefined;
    const { name, purpose, scopes, createdAt } = toTokenInfo(invitation.thing.grant);
    return {
      thing: toOwnedToken(invitation.thing.grant, visit),
      invitation: invitation.invitation,
      view: 'access-token-invitation',
      describe: ({ text, day, locale }) => ({
        name,
        purpose,
        scopes: scopes.map((scope) => describeScope(settings.scopes, scope, locale)),
        made: day(createdAt),
        meaning: text('tokens.acceptMeaning'),
      }),
    };
  },
  noSuchThing: noSuchToken,
  maxOwned: MAX_TOKENS,
  noRoom: 'toomanytokens',
  isRemovalRedisplayed: false,
});

/**
 * The pages on which users create, list, replace and end their tokens. The user always comes from the session, never
 * from the request.
 */
export function createTokensPages(server: Server): Router {
  const { settings, models, events, policy } = server;
  const options = requireEnabled(settings.personalAccessTokens, 'personalAccessTokens');
  const context: TokensContext = {
    ...server,
    ...server.rendering,
    options,
    ...ownersParts(settings, models.failures),
    service: createTokenService({ ...settings, models, policy, options }),
    ownership: createTokenOwners(models.grants),
    actOf: ({ req, now }) => ({ now, emit: emitFor(events, req) }),
    endpoint: 'access-tokens',
    root: pathOf(settings, 'access-tokens'),
  };
  return createAccountRouter(context, {
    before: [refuseTokens],
    after: [allowMethods],
    // the page of the submitted form
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
