import express, { type Request, type RequestHandler } from 'express';

import { invalidRequest } from '../../shared/errors.js';
import { parseForm } from '../../shared/protocol/parameters.js';

/** Milliseconds. Node waits for five minutes, in which a few bytes a minute keep a connection open. */
const BODY_TIME = 10_000;
/** Characters of the longest empty body: `{}`, with some space in it. */
const MAX_EMPTY = 6;

/**
 * Reads a body of this type as text into `req.body`. A body that takes more than ten seconds is answered by 408, and
 * the connection is closed. A body that a parser of the site has read stays as it is, because its stream is gone.
 *
 * @param options `limit`: bytes
 * @see RFC 9110 §15.5.9
 */
export function bodyText(
  options: { readonly type: string | string[]; readonly limit: number },
  time = BODY_TIME,
): RequestHandler {
  if (typeof (express as { text?: unknown }).text !== 'function')
    throw new TypeError(
      'express-authorization-server: this Express is too old; it must be 4.17 or newer: npm install express@4',
    );
  const read = express.text(options);
  return function readInTime(req, res, next) {
    // Express 4 would fail by 500 if the stream was read before
    if (req.readableEnded) return next();
    if (req.complete) return read(req, res, next);
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      // do not wait for the rest of the body
      res.set('Connection', 'close');
      next(
        invalidRequest(`the request body must be there within ${time / 1000} seconds`, 'request_too_slow', {
          status: 408,
        }),
      );
    }, time);
    read(req, res, (problem?: unknown) => {
      clearTimeout(timer);
      if (!isLate) next(problem);
    });
  };
}

/**
 * The body as a parser, a framework or a serverless adapter in front left it. Some keep the bytes beside it alone
 * (`req.rawBody`). Bytes are returned as text.
 *
 * @param isJson whether an empty object can be the body that was sent
 * @param mount the router that the site has to mount before the parser. Default: `oauth.clientRouter`.
 * @throws OAuthError if the body was read, and nothing of it is left
 */
export function leftBody(
  req: Request,
  { isJson, mount = 'oauth.clientRouter' }: { readonly isJson: boolean; readonly mount?: string },
): unknown {
  const { body, rawBody } = req as { readonly body?: unknown; readonly rawBody?: unknown };
  const text = textOf(body);
  if (text !== undefined) return text;
  if (Object.keys(body ?? {}).length > 0) return body;
  const raw = textOf(rawBody);
  if (raw !== undefined) return raw;
  // whether an empty body can be the body that was sent; RFC 9112 §6.1: a chunked body has no length
  const length = Number(req.headers['content-length'] ?? 0);
  if (isJson && typeof body === 'object' && body !== null && length <= MAX_EMPTY) return body;
  if (length === 0 && req.headers['transfer-encoding'] === undefined) return body;
  throw invalidRequest('the request body was read before it came here, and is lost', 'request_malformed', {
    detail: `a parser, framework or adapter in front of the authorization server has read the body and left it neither in req.body nor in req.rawBody: mount ${mount} before it`,
  });
}

function textOf(body: unknown): string | undefined {
  if (typeof body === 'string') return body;
  return body instanceof Uint8Array ? Buffer.from(body).toString() : undefined;
}

/**
 * Reads a body of one type into `req.body`. If a parser of the site has read the stream, the result of that parser is
 * taken.
 *
 * @param limit bytes
 * @param parse makes a value of the remaining body, of its text if there is one
 */
function typedBody(type: string, limit: number, parse: (req: Request) => unknown): RequestHandler[] {
  return [
    bodyText({ type, limit }),
    function parseTypedBody(req, _res, next) {
      if (!req.is(type)) throw invalidRequest(`the request body must be ${type}`, 'wrong_content_type');
      req.body = parse(req);
      next();
    },
  ];
}

/** Bytes; no request of these protocols comes close to the limit. */
const FORM_LIMIT = 100 * 1024;

/**
 * Parses an urlencoded body strictly. `parseParameters` and the readers of fields also take the result of a parser of
 * the site.
 *
 * @see RFC 6749 §3.2, Appendix B
 */
export function formBody(): RequestHandler[] {
  return typedBody('application/x-www-form-urlencoded', FORM_LIMIT, (req) => {
    const body = leftBody(req, { isJson: false });
    // without a prototype: from the text of the body, or from the result of a parser
    return typeof body === 'string' ? parseForm(body) : Object.assign(Object.create(null) as object, body);
  });
}

/** Bytes; a registration with keys and a software statement stays well below. */
const JSON_LIMIT = 64 * 1024;

/** A JSON body. @see RFC 7591 §3.1 */
export function jsonBody(): RequestHandler[] {
  return typedBody('application/json', JSON_LIMIT, (req) => {
    const body = leftBody(req, { isJson: true });
    try {
      return typeof body === 'string' ? (JSON.parse(body) as unknown) : body;
    } catch (cause) {
      throw invalidRequest('the request body is not JSON', 'request_malformed', { cause });
    }
  });
}

/** The members of a body that must be one JSON object. @throws OAuthError invalid_request */
export function requireJsonObject(req: Request): Readonly<Record<string, unknown>> {
  const body: unknown = req.body;
  if (body === null || typeof body !== 'object' || Array.isArray(body))
    throw invalidRequest('the request body must be a JSON object', 'request_malformed');
  return body as Readonly<Record<string, unknown>>;
}
