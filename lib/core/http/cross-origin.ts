import cors, { type CorsOptions } from 'cors';
import type { RequestHandler } from 'express';

/** Seconds for which a browser may remember the answer to its preflight request. */
const MAX_AGE = 600;
/** Characters of a list of request headers that is given back. A longer one could fill the buffers of a proxy. */
const MAX_NAMES = 1024;
/** The headers that a request of an OAuth client needs. */
export const NEEDED_HEADERS: readonly string[] = ['Authorization', 'Content-Type', 'DPoP'];

/**
 * Lets clients in browsers call an endpoint from their own origin. Any origin may: such a request carries no cookie of
 * ours, and what counts is who the client is. Never used for pages.
 *
 * @see RFC 9700 §2.6: possible at endpoints that are called by browsers, never at the authorization endpoint
 */
export function crossOrigin(...methods: readonly string[]): RequestHandler {
  return allowAnyHeader({
    origin: '*',
    methods: [...methods],
    allowedHeaders: [...NEEDED_HEADERS],
    exposedHeaders: ['DPoP-Nonce', 'Retry-After', 'WWW-Authenticate', 'X-Request-Id'],
  });
}

/**
 * CORS without credentials, whichever request headers a client sends: tracing, Swagger UI and the Model Context Protocol
 * add their own. No header makes such a request more than a program elsewhere could send, so a list protects nothing.
 *
 * @see Fetch Standard, "CORS-preflight fetch"
 * @param options `allowedHeaders` answers a preflight that names no header, or too many to be given back
 */
export function allowAnyHeader({
  allowedHeaders,
  ...options
}: Pick<CorsOptions, 'origin' | 'methods' | 'allowedHeaders' | 'exposedHeaders'>): RequestHandler {
  const givingBack = cors({ ...options, maxAge: MAX_AGE });
  const limited = cors({ ...options, allowedHeaders, maxAge: MAX_AGE });
  return (req, res, next) => {
    const names = req.headers['access-control-request-headers'] ?? '';
    (names === '' || names.length > MAX_NAMES ? limited : givingBack)(req, res, next);
  };
}
