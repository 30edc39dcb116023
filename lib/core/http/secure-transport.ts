import type { Request, RequestHandler } from 'express';

import type { Settings } from '../../settings/settings.js';
import { OAuthError } from '../../shared/errors.js';
import { isLoopbackHost } from '../../shared/protocol/redirect-uri.js';

/** Headers that proxies and CDNs add: a request with one of them does not come from this machine. */
const PROXY_HEADERS: ReadonlySet<string> = new Set([
  ...['forwarded', 'via', 'x-forwarded'],
  ...['x-real-ip', 'x-client-ip', 'x-cluster-client-ip'],
  ...['cf-connecting-ip', 'cf-client-ip', 'true-connecting-ip', 'true-client-ip'],
  ...['fastly-connecting-ip', 'fastly-client-ip'],
]);

const UNTRUSTED_TLS =
  "X-Forwarded-Proto is https, and Express does not believe it, so requests are refused as plain HTTP; behind one TLS proxy write app.set('trust proxy', 1)";

/** A request without TLS, from a user or a client. */
export class InsecureTransport extends OAuthError {
  constructor(detail: string) {
    super('invalid_request', 'this endpoint requires TLS (https)', { reason: 'tls_missing', detail });
  }
}

/**
 * Refuses requests without TLS, except on loopback unless the site is public: by its issuer or, without an issuer, by a
 * `secure` session cookie. Behind a proxy, Express's `trust proxy` decides what counts as TLS.
 *
 * @see RFC 6749 §3.1, §3.2, §3.1.2.1
 */
export function secureTransport({
  security,
  issuer,
}: {
  readonly security: Pick<Settings['security'], 'dangerouslyAllowInsecureHttp'>;
  readonly issuer?: string;
}): RequestHandler {
  // at a public site, a request on loopback comes from a proxy, which may add no header
  const isPublicIssuer = issuer !== undefined && new URL(issuer).protocol === 'https:';
  let isReported = false;
  return function requireSecureTransport(req, _res, next) {
    let isPublic = isPublicIssuer;
    if (issuer === undefined) {
      // with `secure: 'auto'` express-session sets `secure` by the request
      const { session } = req as { session?: { readonly cookie?: { readonly secure?: unknown } } | null };
      isPublic = session?.cookie?.secure === true;
    }
    if (req.secure || security.dangerouslyAllowInsecureHttp || (!isPublic && isLocal(req))) return next();
    // not redirected to https: a request in the clear must visibly fail
    const isTlsUntrusted = /^\s*https\b/i.test(String(req.headers['x-forwarded-proto']));
    // default logs do not show a 400: one warning tells the developer
    if (isTlsUntrusted && !isReported) {
      isReported = true;
      process.emitWarning(`express-authorization-server: ${UNTRUSTED_TLS}`, { code: 'EAS_TRUST_PROXY' });
    }
    const cure = isTlsUntrusted
      ? UNTRUSTED_TLS
      : "behind a TLS proxy set app.set('trust proxy', …), and let the proxy send X-Forwarded-Proto; on this machine alone write issuer: 'http://localhost:…', and secure: false for the session cookie";
    throw new InsecureTransport(
      `${req.protocol} from ${String(req.socket.remoteAddress)} to host ${String(req.hostname)}; ${cure}`,
    );
  };
}

/** Whether this machine sent the request to itself, and no proxy forwarded it. */
function isLocal({ headers, httpVersion, socket }: Request): boolean {
  const address = socket.remoteAddress ?? '';
  if (address !== '::1' && !/^(::ffff:)?127\./.test(address)) return false;
  // nginx speaks HTTP/1.0 to its upstream by default; browsers and clients do not
  if (httpVersion === '1.0') return false;
  for (const name in headers) if (PROXY_HEADERS.has(name) || name.startsWith('x-forwarded-')) return false;
  const [, hostname = ''] = /^(\[[^\]]*\]|[^:]*)/.exec(headers.host ?? '') ?? [];
  return isLoopbackHost(hostname.toLowerCase());
}
