import type { RequestHandler } from 'express';

import { OAuthError } from '../errors.js';
import { parseForm } from '../protocol/parameters.js';
import { bodyText } from './body-text.js';

const FORM = 'application/x-www-form-urlencoded';
/** Bytes; no request of these protocols comes close to it. */
const BODY_LIMIT = 100 * 1024;

/**
 * Reads an urlencoded body into `req.body`, strictly. A body that a parser of the host has read stays as it is, because
 * its stream is gone; `parseParameters` takes either.
 *
 * @see RFC 6749 §3.2, Appendix B
 */
export function formBody(): RequestHandler[] {
  const readText = bodyText({ type: FORM, limit: BODY_LIMIT });
  const parseText: RequestHandler = (req, _res, next) => {
    if (!req.is(FORM))
      throw new OAuthError('invalid_request', `the request body must be ${FORM}`, {
        reason: 'wrong_content_type',
      });
    if (typeof req.body === 'string') req.body = parseForm(req.body);
    next();
  };
  return [readText, parseText];
}
