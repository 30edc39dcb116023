import type { RequestHandler } from 'express';

/**
 * Answers a request whose target is `*`: it is about the server as a whole, so it has no path that a router could find,
 * and express-session skips it, so that `passport.session()` behind it throws. `OPTIONS` asks what the server can do;
 * no other method may have this target.
 *
 * @see RFC 9110 §9.3.7, RFC 9112 §3.2, §3.2.4
 */
export function answerForWholeServer(): RequestHandler {
  return function answerWithoutPath(req, res, next) {
    if (!req.url.startsWith('*')) return next();
    const isQuestion = req.method === 'OPTIONS' && req.url === '*';
    res.status(isQuestion ? 204 : 400).end();
  };
}
