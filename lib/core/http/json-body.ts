import type { Request, RequestHandler } from 'express';

import { OAuthError } from '../../shared/errors.js';
import { bodyText, leftBody } from './body-text.js';

const JSON_TYPE = 'application/json';
/** Bytes; a registration with keys and a software statement stays well below. */
const BODY_LIMIT = 64 * 1024;

/**
 * Reads a JSON body into `req.body`; one that a parser of the site has read is taken as that has left it, because its
 * stream is gone.
 *
 * @see RFC 7591 §3.1
 */
export function jsonBody(): RequestHandler[] {
  return [
    bodyText({ type: JSON_TYPE, limit: BODY_LIMIT }),
    function parseBody(req, _res, next) {
      if (!req.is(JSON_TYPE))
        throw new OAuthError('invalid_request', `the request body must be ${JSON_TYPE}`, {
          reason: 'wrong_content_type',
        });
      const body = leftBody(req, { isJson: true });
      try {
        req.body = typeof body === 'string' ? (JSON.parse(body) as unknown) : body;
      } catch (cause) {
        throw new OAuthError('invalid_request', 'the request body is not JSON', {
          reason: 'request_malformed',
          cause,
        });
      }
      next();
    },
  ];
}

/**
 * The members of a body that must be one JSON object.
 *
 * @throws OAuthError invalid_request
 */
export function jsonObjectOf(req: Request): Readonly<Record<string, unknown>> {
  const body: unknown = req.body;
  if (body === null || typeof body !== 'object' || Array.isArray(body))
    throw new OAuthError('invalid_request', 'the request body must be a JSON object', {
      reason: 'request_malformed',
    });
  return body as Readonly<Record<string, unknown>>;
}
