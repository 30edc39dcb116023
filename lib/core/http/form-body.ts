import type { Request, RequestHandler } from 'express';

import { OAuthError } from '../../shared/errors.js';
import { type Form, parseForm } from '../../shared/protocol/parameters.js';
import { bodyText } from './body-text.js';

const FORM = 'application/x-www-form-urlencoded';
/** Bytes; no request of these protocols comes close to it. */
const BODY_LIMIT = 100 * 1024;

/**
 * Reads an urlencoded body into `req.body`, strictly. Of a body that a parser of the host has read the stream is gone, so
 * its fields are taken as that parser has left them; `parseParameters` and the readers of fields take either.
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
    req.body = toForm(bodyOf(req));
    next();
  };
  return [readText, parseText];
}

/**
 * What a parser, a framework or a serverless adapter in front has left of the body. Some read it and keep the bytes
 * beside it alone (`req.rawBody`).
 *
 * @throws OAuthError if it was read, and nothing of it is left
 */
function bodyOf(req: Request): unknown {
  const { body, rawBody } = req as { readonly body?: unknown; readonly rawBody?: unknown };
  const isEmpty = !isText(body) && Object.keys(body ?? {}).length === 0;
  if (!isEmpty) return body;
  if (isText(rawBody)) return rawBody;
  if (Number(req.headers['content-length'] ?? 0) > 0)
    throw new OAuthError('invalid_request', 'the request body was read before it came here, and is lost', {
      reason: 'request_malformed',
      detail:
        'a parser, framework or adapter in front of the authorization server has read the body and left it neither in req.body nor in req.rawBody: mount oauth.clientRouter before it',
    });
  return body;
}

function isText(body: unknown): body is string | Uint8Array {
  return typeof body === 'string' || body instanceof Uint8Array;
}

/** A form without a prototype, of what `express.text`, `express.raw`, `express.urlencoded` or no parser has left. */
function toForm(body: unknown): Form {
  if (typeof body === 'string') return parseForm(body);
  if (body instanceof Uint8Array) return parseForm(Buffer.from(body).toString());
  const form = Object.create(null) as Record<string, unknown>;
  return typeof body === 'object' && body !== null ? Object.assign(form, body) : form;
}
