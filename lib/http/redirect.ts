import type { Response } from 'express';

/**
 * Sends a browser on. Not `res.redirect`: that would write another URI than the client's own, and its body would reach
 * the browser before express-session has stored what the next request needs; an answer without one waits for that.
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

/** The answer to a form: a GET of this site, so that Back and reload send nothing twice (RFC 9110 §15.4.4). */
export function seeOther(res: Response, path: string): void {
  redirect(res, 303, path);
}
