import { isLoopbackHost, namesItsAuthority } from './redirect-uri.js';

/** Far more than anybody would want to show to users, and less than an index of MongoDB takes. */
const MAX_LENGTH = 512;

/**
 * Whether a client id is a Client Identifier URL: the address of a document about the client. It is compared as text,
 * so there is nothing to normalize.
 *
 * @param options `allowLoopback`, for development: whether it may be `http:` on loopback
 * @see OAuth Client ID Metadata Document §3
 */
export function isClientIdUrl(clientId: string, { allowLoopback }: { allowLoopback: boolean }): boolean {
  if (clientId.startsWith('https://')) return true;
  if (!allowLoopback || !clientId.startsWith('http://')) return false;
  return URL.canParse(clientId) && isLoopbackHost(new URL(clientId).hostname);
}

/** What is wrong with a Client Identifier URL, in words for its developer; undefined if nothing is. */
export function findClientIdUrlProblem(clientId: string): string | undefined {
  if (clientId.length > MAX_LENGTH) return `is longer than ${MAX_LENGTH} characters`;
  // with characters that a URL parser drops, encodes or reads as others, it would be fetched from elsewhere than it
  // says
  const isPlain = /^[\x21-\x7e]+$/.test(clientId) && !/["<>\\^`{|}]/.test(clientId);
  if (!isPlain || !URL.canParse(clientId) || !namesItsAuthority(clientId))
    return 'is not a URL that names its host';
  const [, authority = '', path = ''] = /^https?:\/\/([^/?#]*)([^?#]*)/.exec(clientId) ?? [];
  if (authority.includes('@')) return 'has a user name, which it must not have';
  // the same server under another name, which would escape the blocks and the counts of a site
  if (/\.(:\d*)?$/.test(authority)) return 'has a dot at the end of its host, which it must not have';
  if (clientId.includes('#')) return 'has a fragment (#...), which it must not have';
  if (path === '') return 'has no path, such as /client.json';
  // as a URL parser reads it, also if it is percent-encoded
  const hasDots = path.split('/').some((segment) => /^(\.|%2e){1,2}$/i.test(segment));
  return hasDots ? 'has . or .. in its path, which it must not have' : undefined;
}
