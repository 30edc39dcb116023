import cors from 'cors';
import type { RequestHandler } from 'express';

/** Seconds for which a browser may remember the answer to its preflight request. */
const MAX_AGE = 600;

/**
 * Lets clients in browsers call an endpoint from their own origin. Any origin may: such a request carries no cookie of
 * ours, and what counts is who the client is. Never used for pages.
 *
 * @see RFC 9700 §2.6: possible at endpoints that are called by browsers, never at the authorization endpoint
 */
export function crossOrigin(...methods: readonly string[]): RequestHandler {
  return cors({
    origin: '*',
    methods: [...methods],
    allowedHeaders: ['Authorization', 'Content-Type', 'DPoP'],
    exposedHeaders: ['DPoP-Nonce', 'Retry-After', 'WWW-Authenticate', 'X-Request-Id'],
    maxAge: MAX_AGE,
  });
}
