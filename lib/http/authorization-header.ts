import type { Request } from 'express';

import { OAuthError } from '../errors.js';

/**
 * The Authorization header, undefined where there is none.
 *
 * @throws OAuthError invalid_request where there are several: Node keeps the first, and which one counts must not
 * be a guess
 */
export function authorizationOf(req: Request): string | undefined {
  if ((req.headersDistinct.authorization?.length ?? 0) > 1)
    throw new OAuthError('invalid_request', 'more than one Authorization header');
  // not the list's only one: a middleware of the host may have set it, from a cookie, say
  return req.headers.authorization;
}
