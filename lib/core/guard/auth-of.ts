import type { AccessToken } from './access-token.js';

/**
 * What a guarded route knows of the token it was called with: `req.auth`, never undefined. It is for TypeScript, which
 * cannot know that a guard comes before a handler, and for handlers in other files: `authOf(req).userId`.
 *
 * @param req the request, behind `oauth.guard(…)` or `bearerGuard(…)`; if the guard is `optional`, look at `req.auth`
 * instead
 * @throws TypeError if no guard has let the request in by a token
 */
export function authOf(req: object): AccessToken {
  const { auth } = req as { readonly auth?: Partial<AccessToken> | null };
  // express-oauth2-jwt-bearer and others put something else there
  if (typeof auth?.clientId !== 'string' || !Array.isArray(auth.scopes))
    throw new TypeError(
      'authOf: no access token let this request in; put oauth.guard(…) before this route, and behind a guard that is optional ask req.auth itself',
    );
  return auth as AccessToken;
}
