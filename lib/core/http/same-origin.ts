import type { Request } from 'express';

/**
 * Whether the browser says that a page of this origin has sent a form. Only then may a form without the CSRF token of
 * this session be shown again with its contents: what another site has filled in is not what the user has typed.
 *
 * @see Fetch Metadata Request Headers §2.3
 */
export function isFromSameOrigin(req: Request): boolean {
  return req.headers['sec-fetch-site'] === 'same-origin';
}
