import type { Request } from 'express';

import { invalidRequest } from '../../shared/errors.js';

const NAME = 'authorization';

/**
 * The Authorization header; undefined if there is none.
 *
 * @throws OAuthError invalid_request if there are several: Node keeps the first, and which one counts must not be a
 * guess
 */
export function authorizationOf(req: Request): string | undefined {
  // Node's `headersDistinct` would make a list of each header of the request
  const { rawHeaders } = req;
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.length === NAME.length && name.toLowerCase() === NAME) count += 1;
  }
  if (count > 1) throw invalidRequest('more than one Authorization header', 'credentials_ambiguous');
  // not the value from `rawHeaders`: a middleware of the site may have set the header, for example from a cookie
  return req.headers.authorization;
}
