import { isApplicationScheme, isLoopbackHost } from '../../shared/protocol/redirect-uri.js';

const HTTPS = 'https:';
const LOOPBACK = ['http://localhost:*', 'http://127.0.0.1:*'];

/**
 * The possible targets of a form whose response redirects to `redirectUri`, as CSP sources. The URI may be unknown yet:
 * a client with one registered redirect URI may omit it (RFC 6749 §3.1.2.3). Browsers apply `form-action` to the whole
 * chain of redirects, and a client's callback usually redirects within its site, so the sources are schemes, not hosts.
 *
 * @see CSP Level 3 §6.4.2 (form-action), RFC 6749 §3.1.2
 */
export function formTargetsOf(redirectUri: string | undefined): readonly string[] {
  if (redirectUri === undefined) return [...LOOPBACK, HTTPS];
  if (!URL.canParse(redirectUri)) return [];
  const { protocol, hostname, origin } = new URL(redirectUri);
  if (protocol === HTTPS) return [HTTPS];
  if (protocol === 'http:') {
    // Chromium drops a source that it cannot parse, so the scheme stands for the host
    if (!isHostSource(hostname)) return [protocol, HTTPS];
    // another machine: the site may allow `http:`, or the client was migrated
    if (!isLoopbackHost(hostname)) return [origin, HTTPS];
    const isListed = hostname === 'localhost' || hostname === '127.0.0.1';
    return [...(isListed ? LOOPBACK : [`http://${hostname}:*`]), HTTPS];
  }
  return isApplicationScheme(protocol) ? [protocol, HTTPS] : [];
}

/**
 * The target of a redirect URI, as a CSP source for the site's policy; later redirects are unknown. An `http:` URI
 * on loopback stands for all ports (RFC 8252 §7.3). Undefined if CSP has no syntax for it, as for an IPv6 address.
 */
export function formTargetOf(redirectUri: string): string | undefined {
  if (!URL.canParse(redirectUri)) return undefined;
  const { origin, protocol, hostname } = new URL(redirectUri);
  if (protocol !== HTTPS && protocol !== 'http:') return isApplicationScheme(protocol) ? protocol : undefined;
  if (!isHostSource(hostname)) return undefined;
  return protocol === 'http:' && isLoopbackHost(hostname) ? `http://${hostname}:*` : origin;
}

/**
 * The exact address of a form, as a CSP source; its path counts until the client redirects within its origin. Only
 * `http:` and `https:` (OAuth 2.0 Form Post Response Mode §2).
 *
 * @see CSP Level 3 §2.3.1 (what a path may have in it), §6.7.2.8 (paths and redirects)
 */
export function exactTargetOf(address: string): string {
  const { protocol, hostname, origin, pathname } = new URL(address);
  if (!isHostSource(hostname)) return protocol;
  return `${origin}${pathname.replaceAll(';', '%3B').replaceAll(',', '%2C')}`;
}

/**
 * Whether CSP has a syntax for a host: not for IPv6 addresses, nor for `;` and `,`, which URLs allow in a host, but
 * which would end the directive.
 *
 * @see CSP Level 3 §2.3.1 (host-part), URL Standard §3.2 (forbidden host code points)
 */
function isHostSource(hostname: string): boolean {
  return /^[a-z0-9-]+(\.[a-z0-9-]+)*\.?$/i.test(hostname);
}
