/**
 * The values of a directive in each Content-Security-Policy that has it: what one of them forbids is forbidden.
 *
 * @param names of the directive, and of those that stand for it where it is missing
 */
export function directivesOf(headers: Headers, ...names: readonly string[]): string[][] {
  const policies = (headers.get('content-security-policy') ?? '').split(',');
  return policies.flatMap((policy) => {
    const directives = policy.split(';').map((directive) => directive.trim().split(/\s+/));
    // CSP Level 3 §2.2.1: of two in one policy the first counts
    const named = (name: string) => directives.find(([known]) => known?.toLowerCase() === name);
    const found = names.map(named).find((directive) => directive !== undefined);
    return found === undefined ? [] : [found.slice(1)];
  });
}

/** CSP Level 3 §6.7.2.8, without paths, which are not checked after a redirect. */
export function allows(
  sources: readonly string[],
  { target, origin }: { readonly target: string; readonly origin: string },
): boolean {
  if (!URL.canParse(target)) return true;
  const url = new URL(target);
  return sources.some((source) => {
    if (source === "'self'") return url.origin === origin;
    if (source === '*') return /^https?:$/.test(url.protocol);
    if (/^[a-z][\w+.-]*:$/i.test(source)) return isScheme(source, url.protocol);
    return isHost(source, url);
  });
}

function isHost(source: string, { protocol, hostname, port }: URL): boolean {
  const [, scheme, host = '', onPort = ''] =
    /^(?:([a-z][\w+.-]*:)\/\/)?([^:/]+)(?::(\*|\d+))?/i.exec(source) ?? [];
  if (scheme !== undefined && !isScheme(scheme, protocol)) return false;
  if (onPort !== '*' && !isPort(onPort, { protocol, port })) return false;
  const allowed = host.toLowerCase();
  return allowed.startsWith('*.') ? hostname.endsWith(allowed.slice(1)) : hostname === allowed;
}

/** CSP Level 3 §6.7.2.11: without a port it is the usual one; 80 also allows 443, as `http:` allows `https:`. */
function isPort(allowed: string, { protocol, port }: Pick<URL, 'protocol' | 'port'>): boolean {
  const defaultPort = protocol === 'https:' ? '443' : '80';
  const actual = port === '' ? defaultPort : port;
  return (allowed === '' ? defaultPort : allowed) === actual || (allowed === '80' && actual === '443');
}

/** A scheme that is allowed without TLS is also allowed with it. */
function isScheme(allowed: string, protocol: string): boolean {
  return allowed.toLowerCase() === protocol || (allowed.toLowerCase() === 'http:' && protocol === 'https:');
}
