import type { RequestHandler } from 'express';

import { OAuthError } from '../../shared/errors.js';
import { parseForm } from '../../shared/protocol/parameters.js';
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
  return [
    bodyText({ type: FORM, limit: BODY_LIMIT }),
    function parseBody(req, _res, next) {
      if (!req.is(FORM))
        throw new OAuthError('invalid_request', `the request body must be ${FORM}`, {
          reason: 'wrong_content_type',
        });
      const body = leftBody(req, { isJson: false });
      // without a prototype, of the text of the body or of what a parser has made of it
      req.body =
        typeof body === 'string' ? parseForm(body) : Object.assign(Object.create(null) as object, body);
      next();
    },
  ];
}
