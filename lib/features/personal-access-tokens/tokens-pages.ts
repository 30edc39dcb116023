import { type Request, type RequestHandler, Router } from 'express';

import { formBody } from '../../core/http/form-body.js';
import { handlePage, type RequestContext } from '../../core/http/handle.js';
import { refuseOtherMethods } from '../../core/http/methods.js';
import { secureTransport } from '../../core/http/secure-transport.js';
import { keepTyped } from '../../pages/applications/logged-out-form.js';
import { createFormHandler, type PageHandler } from '../../pages/form-handler.js';
import { createInvitationLimit } from '../../pages/owners/invitation-limit.js';
import { requireLogin, userIdOf } from '../../pages/person.js';
import { pageErrors } from '../../pages/rendering/page-errors.js';
import type { Endpoint } from '../../server/endpoint.js';
import type { Server } from '../../server/server.js';
import { pathOf } from '../../settings/endpoint-urls.js';
import { switchedOn } from '../../settings/table/switched-on.js';
import { OAuthError, toOAuthError } from '../../shared/errors.js';
import { failureKey } from '../../shared/limits/failure-limit.js';
import { bringsToken, showNew, takeNew } from './new-token-page.js';
import {
  acceptTokenInvitation,
  confirmTokenOwnerRemoval,
  declineTokenInvitation,
  inviteTokenOwner,
  removeTokenOwner,
  showTokenInvitation,
  showTokenInviteForm,
  withdrawTokenInvitation,
} from './owner-pages.js';
import { narrowToken, revokeAll, revokeToken, rotate } from './token-changes.js';
import { showTokens } from './token-list-page.js';
import { createTokenOwners } from './token-owners.js';
import { showToken } from './token-page.js';
import { createTokenService } from './token-service.js';
import type { TokensContext } from './tokens-context.js';

type TokenPage = (context: TokensContext, requestContext: RequestContext, id: string) => Promise<void>;

/**
 * The pages on which users make, see, replace and end the tokens of their own programs. What they show and change is
 * always the logged-in user's: no user id is read from a request.
 */
function createTokensPages(context: TokensContext): Router {
  const { settings, report, renderError, renderPage, root } = context;
  const bound =
    (handler: TokenPage): PageHandler =>
    (req, res, now) =>
      handler(context, { req, res, now }, String(req.params.id ?? ''));
  const page = (handler: TokenPage) => handlePage(bound(handler));
  const formHandler = createFormHandler({ userIdOf: (req) => userIdOf(settings, req) });
  const form = (submit: TokenPage, again?: TokenPage) => formHandler(bound(submit), again && bound(again));

  const router = Router();
  router.use(secureTransport(settings), refuseTokens);
  // before the login, so that what was typed is not lost with the session
  router.post(['/', '/:id/invite'], ...formBody(), keepTyped(settings, { root, renderPage }));
  router.use(requireLogin(settings, (req) => returnPathOf(root, req)));
  router.get('/', page(showTokens));
  router.post('/', ...formBody(), page(takeNew));
  router.all('/', refuseOtherMethods('GET', 'POST'));
  router.get('/new', page(showNew));
  router.post('/revoke-all', ...form(revokeAll));
  router.get('/:id', page(showToken));
  router.post('/:id/scopes', ...form(narrowToken));
  router.post('/:id/rotate', ...form(rotate));
  router.post('/:id/revoke', ...form(revokeToken));
  router.post('/:id/invite', ...form(inviteTokenOwner, showTokenInviteForm));
  router.post('/:id/withdraw', ...form(withdrawTokenInvitation));
  router.get('/:id/invitation', page(showTokenInvitation));
  router.post('/:id/accept', ...form(acceptTokenInvitation));
  router.post('/:id/decline', ...form(declineTokenInvitation));
  router.get('/:id/remove-owner', page(confirmTokenOwnerRemoval));
  router.post('/:id/remove-owner', ...form(removeTokenOwner));
  router.use(() => {
    throw new OAuthError('invalid_request', 'there is no such page', { status: 404 });
  });
  router.use(pageErrors({ endpoint: 'access-tokens', report, renderError, sender: 'person' }));
  return router;
}

/** A site's own Passport strategy may take a token for a user: no token makes, widens or lists tokens. */
const refuseTokens: RequestHandler = (req, _res, next) => {
  if (bringsToken(req))
    throw new OAuthError('access_denied', 'a program with a token cannot use this page', { status: 403 });
  next();
};

function countInvitations({ settings, models, events }: Server): TokensContext['countInvitation'] {
  const limit = createInvitationLimit(settings.security.rateLimits !== false, models.failures);
  return (req, userId) =>
    limit.consume(failureKey({}, userId)).catch((refusal: unknown) => {
      if (toOAuthError(refusal).status === 429)
        events.emit('rate.limited', { endpoint: 'access-tokens', userId }, req);
      throw refusal;
    });
}

/** The page itself, or that of the token whose form was sent. */
function returnPathOf(root: string, { method, path, url }: Request): string {
  if (method === 'GET' || method === 'HEAD') return path === '/' ? root + url.slice(1) : root + url;
  const [, token = '', action = ''] = /^(\/[\w-]{22})\/([^/]+)$/.exec(path) ?? [];
  return root + token + (['accept', 'decline'].includes(action) ? '/invitation' : '');
}

export const tokensPages: Endpoint = {
  name: 'access-tokens',
  isPage: true,
  create(server) {
    const options = switchedOn(server.settings.personalAccessTokens, 'personalAccessTokens');
    return createTokensPages({
      ...server,
      ...server.rendering,
      options,
      service: createTokenService({ ...server, options }),
      owners: createTokenOwners(server.models.grants),
      countInvitation: countInvitations(server),
      root: pathOf(server.settings, 'access-tokens'),
    });
  },
};
