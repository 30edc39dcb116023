import type { Request, RequestHandler } from 'express';

import { OAuthError } from '../errors.js';
import { isLoopbackHost } from '../protocol/redirect-uri.js';
import type { Settings } from '../settings/settings.js';

/** What proxies add: with one of them, this machine is not where the request comes from. */
const PROXY_HEADERS = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
];

/**
 * Refuses requests without TLS, except on loopback. What counts as TLS behind a proxy is Express's `trust proxy`.
 *
 * @see RFC 6749 §3.1, §3.2, §3.1.2.1
 */
export function secureTransport({
  dangerouslyAllowInsecureHttp,
}: Pick<Settings, 'dangerouslyAllowInsecureHttp'>): RequestHandler {
  return function requireSecureTransport(req, _res, next) {
    if (req.secure || dangerouslyAllowInsecureHttp || isLocal(req)) return next();
    // never redirected to https: what was sent in the clear must be seen to fail
    throw new OAuthError('invalid_request', 'this endpoint requires TLS (https)', {
      detail: `${req.protocol} from ${String(req.socket.remoteAddress)} to host ${String(req.hostname)}; behind a TLS proxy set app.set('trust proxy', …) so that X-Forwarded-Proto is believed`,
    });
  };
}

/** Sent on this machine to this machine, and by no proxy that forwards for somebody else. */
function isLocal(req: Request): boolean {
  const address = req.socket.remoteAddress ?? '';
  const isLoopbackAddress = address === '::1' || /^(::ffff:)?127\./.test(address);
  const isForwarded = PROXY_HEADERS.some((name) => req.headers[name] !== undefined);
  return isLoopbackAddress && !isForwarded && isLoopbackHost(hostnameOf(req));
}

function hostnameOf(req: Request): string {
  const [, hostname = ''] = /^(\[[^\]]*\]|[^:]*)/.exec(req.headers.host ?? '') ?? [];
  return hostname.toLowerCase();
}
