import { isLoopbackHost, leadsToApp } from '../../shared/protocol/redirect-uri.js';

const HTTPS = 'https:';
const LOOPBACK = ['http://localhost:*', 'http://127.0.0.1:*'];

/**
 * Where a form may lead in the end, as CSP sources, if a redirect to `redirectUri` follows it. That may not be known
 * yet: a client with one registered redirect URI may leave it out of its request (RFC 6749 §3.1.2.3). Browsers apply
 * `form-action` to the whole chain of redirects after a form, and a client's callback usually redirects on within its
 * own site, so the sources are schemes and not hosts.
 *
 * @see CSP Level 3 §6.4.2 (form-action), RFC 6749 §3.1.2
 */
export function formTargetsOf(redirectUri: string | undefined): readonly string[] {
  if (redirectUri === undefined) return [...LOOPBACK, HTTPS];
  if (!URL.canParse(redirectUri)) return [];
  const { protocol, hostname, origin } = new URL(redirectUri);
  if (protocol === HTTPS) return [HTTPS];
  // on another machine, where the site may do without TLS
  if (protocol === 'http:') return isLoopbackHost(hostname) ? loopbackTargets(hostname) : [origin, HTTPS];
  return leadsToApp(protocol) ? [protocol, HTTPS] : [];
}

/**
 * The one place where a redirect URI leads, as a CSP source for the host's own policy; what comes after it is not
 * known. A loopback URI stands for all its ports (RFC 8252 §7.3). Undefined if CSP has no syntax for it, as for an IPv6
 * address.
 */
export function formTargetOf(redirectUri: string): string | undefined {
  const [first] = formTargetsOf(redirectUri);
  if (first === undefined || first === 'http:') return undefined;
  const { origin, protocol, hostname } = new URL(redirectUri);
  if (protocol === HTTPS) return hostname.startsWith('[') ? undefined : origin;
  if (protocol !== 'http:') return protocol;
  return isLoopbackHost(hostname) ? `http://${hostname}:*` : origin;
}

/**
 * The one address to which a form itself leads, as a CSP source; its path counts until the client redirects on within
 * its own origin. Only `http:` and `https:` (OAuth 2.0 Form Post Response Mode §2).
 *
 * @see CSP Level 3 §2.3.1 (what a path may have in it), §6.7.2.8 (paths and redirects)
 */
export function exactTargetOf(address: string): string {
  const { protocol, hostname, origin, pathname } = new URL(address);
  // CSP has no syntax for an IPv6 host
  if (hostname.startsWith('[')) return protocol;
  return `${origin}${pathname.replaceAll(';', '%3B').replaceAll(',', '%2C')}`;
}

function loopbackTargets(hostname: string): readonly string[] {
  // RFC 8252 §7.3 allows [::1], but CSP has no syntax for an IPv6 host: Chromium drops such a source, so the
  // scheme stands for it
  if (hostname === '[::1]') return ['http:', HTTPS];
  const isUsual = hostname === 'localhost' || hostname === '127.0.0.1';
  return isUsual ? [...LOOPBACK, HTTPS] : [`http://${hostname}:*`, HTTPS];
}
