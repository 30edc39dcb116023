/** RFC 3986 §2.3 */
const UNRESERVED = /^[A-Za-z0-9\-._~]$/;

/**
 * Whether two URIs name the same target, without query and fragment.
 *
 * @see RFC 9449 §4.3, RFC 3986 §6.2.2 (syntax), §6.2.3 (schemes)
 */
export function isSameTarget(uri: string, target: string): boolean {
  const normalized = normalize(uri);
  return normalized !== undefined && normalized === normalize(target);
}

/** Lower case in scheme and host, no default port, no dot segments, uniform percent-encoding. */
function normalize(uri: string): string | undefined {
  if (!URL.canParse(uri)) return undefined;
  const { protocol, host, pathname, username, password } = new URL(uri);
  if (!/^https?:$/.test(protocol) || username !== '' || password !== '') return undefined;
  const path = pathname.replace(/%[0-9a-f]{2}/gi, (encoded) => {
    const character = String.fromCharCode(parseInt(encoded.slice(1), 16));
    return UNRESERVED.test(character) ? character : encoded.toUpperCase();
  });
  return `${protocol}//${host}${path}`;
}
