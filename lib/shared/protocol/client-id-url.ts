import { isLoopbackHost, namesItsAuthority } from './redirect-uri.js';

/** Longer than any URL that users should see, and shorter than the limit of a MongoDB index. */
const MAX_LENGTH = 512;

/**
 * Whether a client id is a Client Identifier URL: the address of a document about the client. Client ids are compared
 * as text, so the URL is not normalized.
 *
 * @param options `allowLoopback`, for development: whether the URL may be `http:` on loopback
 * @see OAuth Client ID Metadata Document §3
 */
export function isClientIdUrl(clientId: string, { allowLoopback }: { allowLoopback: boolean }): boolean {
  if (clientId.startsWith('https://')) return true;
  if (!allowLoopback || !clientId.startsWith('http://')) return false;
  return URL.canParse(clientId) && isLoopbackHost(new URL(clientId).hostname);
}

/** The problem of a Client Identifier URL, for its developer; undefined if there is none. */
export function findClientIdUrlProblem(clientId: string): string | undefined {
  if (clientId.length > MAX_LENGTH) return `is longer than ${MAX_LENGTH} characters`;
  // a URL parser drops, encodes or replaces some characters, and would fetch from another address than the text's
  const isPlain = /^[\x21-\x7e]+$/.test(clientId) && !/["<>\\^`{|}]/.test(clientId);
  if (!isPlain || !URL.canParse(clientId) || !namesItsAuthority(clientId))
    return 'is not a URL that names its host';
  const [, authority = '', path = ''] = /^https?:\/\/([^/?#]*)([^?#]*)/.exec(clientId) ?? [];
  if (authority.includes('@')) return 'has a user name, which it must not have';
  // the dot makes another name of the same server, which would escape the site's blocks and limits
  if (/\.(:\d*)?$/.test(authority)) return 'has a dot at the end of its host, which it must not have';
  if (clientId.includes('#')) return 'has a fragment (#...), which it must not have';
  if (path === '') return 'has no path, such as /client.json';
  // percent-encoded dots as well, as a URL parser reads them
  const hasDots = path.split('/').some((segment) => /^(\.|%2e){1,2}$/i.test(segment));
  return hasDots ? 'has . or .. in its path, which it must not have' : undefined;
}
