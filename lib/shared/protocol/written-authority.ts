/**
 * Whether the text of an http: or https: URL names the host and port that a URL parser finds in it. Browsers take
 * `https:a.example/cb` and `https:///a.example` for other addresses than users do, and may even take the first one for
 * a path of the current site. Other schemes need no authority.
 *
 * @see RFC 3986 §3.2, §4.2; the WHATWG URL Standard, "special authority slashes state"
 */
export function namesItsAuthority(value: string): boolean {
  if (!/^https?:/i.test(value)) return true;
  const [, scheme = '', authority] = /^(https?):\/\/(?:[^/?#\\@]*@)?([^/?#\\@]+)/i.exec(value) ?? [];
  if (authority === undefined || !URL.canParse(value)) return false;
  // the default port may be written out
  const defaultPort = scheme.toLowerCase() === 'https' ? ':443' : ':80';
  const written = authority.toLowerCase();
  return [written, written.endsWith(defaultPort) ? written.slice(0, -defaultPort.length) : written].includes(
    new URL(value).host,
  );
}
