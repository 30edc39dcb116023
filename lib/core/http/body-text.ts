import express, { type RequestHandler } from 'express';

import { OAuthError } from '../../shared/errors.js';

/** Milliseconds; Node would wait for five minutes, in which a few bytes a minute keep a connection open. */
const BODY_TIME = 10_000;

export interface BodyTextOptions {
  readonly type: string | string[];
  /** Bytes. */
  readonly limit: number;
}

/**
 * Reads a body of this type as text into `req.body`. It has to arrive within ten seconds; otherwise the answer is 408,
 * and the connection is closed. A body that a parser of the host has read stays as it is, because its stream is gone.
 *
 * @see RFC 9110 §15.5.9
 */
export function bodyText(options: BodyTextOptions, time = BODY_TIME): RequestHandler {
  if (typeof (express as { text?: unknown }).text !== 'function')
    throw new TypeError(
      'express-authorization-server: this Express is too old; it must be 4.17 or newer: npm install express@4',
    );
  const read = express.text(options);
  return function readInTime(req, res, next) {
    // Express 4 would fail by 500 where somebody else has read the stream
    if (req.readableEnded) return next();
    if (req.complete) return read(req, res, next);
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      // do not wait for the rest of the body
      res.set('Connection', 'close');
      next(tooSlow(time));
    }, time);
    read(req, res, (problem?: unknown) => {
      clearTimeout(timer);
      if (!isLate) next(problem);
    });
  };
}

function tooSlow(time: number): OAuthError {
  return new OAuthError('invalid_request', `the request body must be there within ${time / 1000} seconds`, {
    reason: 'request_too_slow',
    status: 408,
  });
}
