import type { ErrorRequestHandler, Response } from 'express';

import type { Report } from '../observability/report.js';

/** Answers errors of the endpoints that clients call. @see RFC 6749 §5.2 */
export function jsonError(endpoint: string, report: Report): ErrorRequestHandler {
  return function answerJsonError(thrown, req, res, next) {
    const { error } = report(thrown, { endpoint, req, res });
    if (res.headersSent) return next(thrown);
    res.status(error.status).set(error.headers);
    // RFC 9110 §11.6.1 requires a challenge with every 401, RFC 6749 §5.2 the scheme that the client tried
    if (error.status === 401 && res.getHeader('WWW-Authenticate') === undefined)
      res.set('WWW-Authenticate', 'Basic realm="oauth", charset="UTF-8"');
    sendJson(res, { error: error.error, error_description: error.description });
  };
}

/** Sends a JWT instead of JSON, never cached. (OpenID Connect Core §5.3.2, RFC 9701 §5) */
export function sendJwt(res: Response, type: string, jwt: string): void {
  res.set({
    'Content-Type': type,
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
    Pragma: 'no-cache',
  });
  res.end(jwt);
}

/**
 * RFC 6749 §5.1, §5.2: JSON, never cached. `end` keeps the charset in the RFC's spelling, which `res.json`
 * would change.
 */
export function sendJson(res: Response, body: object): void {
  const text = JSON.stringify(body);
  res.setHeader('Content-Type', 'application/json;charset=UTF-8');
  // descriptions repeat text from strangers: no browser may read them as anything but JSON
  res.setHeader('X-Content-Type-Options', 'nosniff');
  res.setHeader('Cache-Control', 'no-store');
  res.setHeader('Pragma', 'no-cache');
  res.setHeader('Content-Length', Buffer.byteLength(text));
  res.end(text);
}
