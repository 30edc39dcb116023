/**
 * The values of a directive in each Content-Security-Policy that has it; each of them can forbid a source.
 *
 * @param names the directive and its fallbacks
 */
export function directivesOf(headers: Headers, ...names: readonly string[]): string[][] {
  const policies = (headers.get('content-security-policy') ?? '').split(',');
  return policies.flatMap((policy) => {
    const directives = policy.split(';').map((directive) => directive.trim().split(/\s+/));
    // CSP Level 3 §2.2.1: of two in one policy the first counts
    const match = names
      .map((name) => directives.find(([directiveName]) => directiveName?.toLowerCase() === name))
      .find((directive) => directive !== undefined);
    return match === undefined ? [] : [match.slice(1)];
  });
}

/** CSP Level 3 §6.7.2.8, without paths, which are not checked after a redirect. */
export function allows(sources: readonly string[], target: string, origin: string): boolean {
  if (!URL.canParse(target)) return true;
  const url = new URL(target);
  // CSP Level 3 §6.7.2.9: a scheme that is allowed without TLS is also allowed with it
  const isScheme = (allowed: string) =>
    allowed.toLowerCase() === url.protocol ||
    (allowed.toLowerCase() === 'http:' && url.protocol === 'https:');
  return sources.some((source) => {
    if (source === "'self'") return url.origin === origin;
    if (source === '*') return /^https?:$/.test(url.protocol);
    if (/^[a-z][\w+.-]*:$/i.test(source)) return isScheme(source);
    const [, scheme, host = '', port] =
      /^(?:([a-z][\w+.-]*:)\/\/)?([^:/]+)(?::(\*|\d+))?/i.exec(source) ?? [];
    if (scheme !== undefined && !isScheme(scheme)) return false;
    // CSP Level 3 §6.7.2.11: the default port of the scheme; 80 also allows 443, as `http:` allows `https:`
    const defaultPort = url.protocol === 'https:' ? '443' : '80';
    const actual = url.port || defaultPort;
    const allowed = port ?? defaultPort;
    if (allowed !== '*' && allowed !== actual && !(port === '80' && actual === '443')) return false;
    const name = host.toLowerCase();
    return name.startsWith('*.') ? url.hostname.endsWith(name.slice(1)) : url.hostname === name;
  });
}
