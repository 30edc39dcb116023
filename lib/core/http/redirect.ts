import type { Response } from 'express';

/**
 * Redirects a browser. `res.redirect` would rewrite the client's URI, and its body would reach the browser before
 * express-session has stored the session; a response without a body waits for the store.
 */
export function redirect(res: Response, status: 302 | 303, location: string): void {
  res
    .status(status)
    .set({
      Location: location,
      'Cache-Control': 'no-store',
      Pragma: 'no-cache',
      'Referrer-Policy': 'no-referrer',
    })
    .end();
}

/** Answers a form by a redirect to a page of this site: Back and reload then send nothing twice (RFC 9110 §15.4.4). */
export function seeOther(res: Response, path: string): void {
  redirect(res, 303, path);
}
