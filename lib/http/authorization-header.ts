import type { Request } from 'express';

import { OAuthError } from '../errors.js';

/**
 * The Authorization header, undefined where there is none.
 *
 * @throws OAuthError invalid_request where there are several: Node keeps the first, and which one counts must not be a guess
 */
export function authorizationOf(req: Request): string | undefined {
  const { authorization } = req.headers;
  if (authorization !== undefined && countOf('authorization', req.rawHeaders) > 1)
    throw new OAuthError('invalid_request', 'more than one Authorization header');
  return authorization;
}

/** `rawHeaders` are names and values in turn, as they were sent. */
function countOf(name: string, rawHeaders: readonly string[]): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const sent = rawHeaders[index] ?? '';
    if (sent.length === name.length && sent.toLowerCase() === name) count += 1;
  }
  return count;
}
