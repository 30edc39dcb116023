import type { Request, RequestHandler } from 'express';

import { OAuthError } from '../errors.js';
import { isLoopbackHost } from '../protocol/redirect-uri.js';
import type { Settings } from '../settings/settings.js';

/** What proxies and CDNs add: with one of them, this machine is not where the request comes from. */
const PROXY_HEADERS: ReadonlySet<string> = new Set([
  ...['forwarded', 'via', 'x-forwarded'],
  ...['x-real-ip', 'x-client-ip', 'x-cluster-client-ip'],
  ...['cf-connecting-ip', 'cf-client-ip', 'true-connecting-ip', 'true-client-ip'],
  ...['fastly-connecting-ip', 'fastly-client-ip'],
]);

/** A request in the clear, which a person may have sent as well as a client. */
export class InsecureTransport extends OAuthError {
  constructor(detail: string) {
    super('invalid_request', 'this endpoint requires TLS (https)', { reason: 'tls_missing', detail });
  }
}

/**
 * Refuses requests without TLS, except on loopback, unless the site is public: by its issuer, or, where that is not
 * known, by a session cookie that is `secure`. What counts as TLS behind a proxy is Express's `trust proxy`.
 *
 * @see RFC 6749 §3.1, §3.2, §3.1.2.1
 */
export function secureTransport({
  dangerouslyAllowInsecureHttp,
  issuer,
}: Pick<Settings, 'dangerouslyAllowInsecureHttp'> & Partial<Pick<Settings, 'issuer'>>): RequestHandler {
  // of a site that the world sees, what comes on loopback comes by a proxy, which need not say so
  const isPublicIssuer = issuer !== undefined && new URL(issuer).protocol === 'https:';
  const warnOfProxy = warnOnce();
  return function requireSecureTransport(req, _res, next) {
    const isPublic = issuer === undefined ? hasSecureCookie(req) : isPublicIssuer;
    if (req.secure || dangerouslyAllowInsecureHttp || (!isPublic && isLocal(req))) return next();
    // never redirected to https: what was sent in the clear must be seen to fail
    warnOfProxy(req);
    throw new InsecureTransport(
      `${req.protocol} from ${String(req.socket.remoteAddress)} to host ${String(req.hostname)}; behind a TLS proxy set app.set('trust proxy', …) so that X-Forwarded-Proto is believed, and let the proxy send it; on this machine alone write issuer: 'http://localhost:…', and secure: false for the session cookie`,
    );
  };
}

/**
 * The refusal is a 400, which the usual log does not show. One line tells the developer, one for each request would
 * bury it.
 */
function warnOnce(): (req: Request) => void {
  let isTold = false;
  return ({ headers }) => {
    if (isTold || !/^\s*https\b/i.test(String(headers['x-forwarded-proto']))) return;
    isTold = true;
    process.emitWarning(
      "express-authorization-server: X-Forwarded-Proto is https, and Express does not believe it, so requests are refused as plain HTTP; behind one TLS proxy write app.set('trust proxy', 1)",
      { code: 'EAS_TRUST_PROXY' },
    );
  };
}

/**
 * Whether the session is one for TLS alone, as express-session has it; with `secure: 'auto'` it is as its request was.
 */
function hasSecureCookie(req: Request): boolean {
  const { session } = req as { session?: { readonly cookie?: { readonly secure?: unknown } } | null };
  return session?.cookie?.secure === true;
}

/** Sent on this machine to this machine, and by no proxy that forwards for somebody else. */
function isLocal(req: Request): boolean {
  const address = req.socket.remoteAddress ?? '';
  const isLoopbackAddress = address === '::1' || /^(::ffff:)?127\./.test(address);
  // HTTP/1.0 is what nginx speaks to what is behind it, unless it is told otherwise; browsers and clients do not
  const isForwarded = req.httpVersion === '1.0' || isNamedByProxy(req);
  return isLoopbackAddress && !isForwarded && isLoopbackHost(hostnameOf(req));
}

function isNamedByProxy({ headers }: Request): boolean {
  for (const name in headers) {
    if (PROXY_HEADERS.has(name) || name.startsWith('x-forwarded-')) return true;
  }
  return false;
}

function hostnameOf(req: Request): string {
  const [, hostname = ''] = /^(\[[^\]]*\]|[^:]*)/.exec(req.headers.host ?? '') ?? [];
  return hostname.toLowerCase();
}
