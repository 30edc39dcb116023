import type { RequestHandler } from 'express';

import { OAuthError } from '../../shared/errors.js';
import { type Form, parseForm } from '../../shared/protocol/parameters.js';
import { bodyText, leftBody } from './body-text.js';

const FORM = 'application/x-www-form-urlencoded';
/** Bytes; no request of these protocols comes close to it. */
const BODY_LIMIT = 100 * 1024;

/**
 * Reads an urlencoded body into `req.body`, strictly. Of a body that a parser of the site has read the stream is gone,
 * so its fields are taken as that parser has left them; `parseParameters` and the readers of fields take either.
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
    req.body = toForm(leftBody(req, { isJson: false }));
    next();
  };
  return [readText, parseText];
}

/** A form without a prototype, of the text of a body or of what a parser has made of it. */
function toForm(body: unknown): Form {
  if (typeof body === 'string') return parseForm(body);
  const form = Object.create(null) as Record<string, unknown>;
  return typeof body === 'object' && body !== null ? Object.assign(form, body) : form;
}
