import type { Request } from 'express';
import { OAuthError } from '../errors.js';

/**
 * The Authorization header, undefined where there is none.
 *
 * @throws OAuthError invalid_request where there are several: Node keeps the first, and which one counts must not be a guess
 */
export function authorizationOf(req: Request): string | undefined {
  const [authorization, ...more] = req.headersDistinct.authorization ?? [];
  if (more.length > 0) throw new OAuthError('invalid_request', 'more than one Authorization header');
  return authorization;
}
