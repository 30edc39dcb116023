import type { RequestHandler } from 'express';

/** Seconds for which a browser may cache the response to its preflight request. */
const MAX_AGE = 600;
/** Characters of a list of request headers that the response repeats. A longer list could fill a proxy's buffers. */
const MAX_NAMES = 1024;
/** The request headers that an OAuth client needs. */
export const NEEDED_HEADERS: readonly string[] = ['Authorization', 'Content-Type', 'DPoP'];

/**
 * Lets clients in browsers call an endpoint from their own origin. Any origin may: such a request carries no cookie of
 * this site, and the client authenticates. Never used for pages.
 *
 * @see RFC 9700 §2.6: possible at endpoints that are called by browsers, never at the authorization endpoint
 */
export function crossOrigin(...methods: readonly string[]): RequestHandler {
  return allowAnyHeader({
    methods,
    allowedHeaders: NEEDED_HEADERS,
    exposedHeaders: ['DPoP-Nonce', 'Retry-After', 'WWW-Authenticate', 'X-Request-Id'],
  });
}

/**
 * CORS without credentials, for any request headers: tracing, Swagger UI and the Model Context Protocol add their own.
 * No header lets a browser do more than a program elsewhere could, so a list protects nothing.
 *
 * @param options `origins`: by default any; `allowedHeaders` answer a preflight that names no header, or too many to
 * repeat
 * @see Fetch Standard, "CORS protocol"
 */
export function allowAnyHeader(options: {
  readonly origins?: readonly string[] | undefined;
  readonly methods: readonly string[];
  readonly allowedHeaders: readonly string[];
  readonly exposedHeaders: readonly string[];
}): RequestHandler {
  const { origins, methods, allowedHeaders, exposedHeaders } = options;
  return (req, res, next) => {
    const { origin = '', 'access-control-request-headers': names = '' } = req.headers;
    if (origins !== undefined) res.vary('Origin');
    if (origins?.includes(origin) ?? true)
      res.set('Access-Control-Allow-Origin', origins === undefined ? '*' : origin);
    res.set('Access-Control-Expose-Headers', exposedHeaders.join(','));
    if (req.method !== 'OPTIONS') return next();
    const isGivenBack = names !== '' && names.length <= MAX_NAMES;
    res
      .status(204)
      .vary('Access-Control-Request-Headers')
      .set({
        'Access-Control-Allow-Methods': methods.join(','),
        'Access-Control-Allow-Headers': isGivenBack ? names : allowedHeaders.join(','),
        'Access-Control-Max-Age': String(MAX_AGE),
        // without a length some browsers wait for a body
        'Content-Length': '0',
      })
      .end();
  };
}
