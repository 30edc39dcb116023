import { namesItsAuthority } from '../protocol/written-authority.js';

const MAX_LENGTH = 2048;

/** Why an address cannot be a client's logo, in words for the person who registers it; undefined if it can. */
export function findLogoUriProblem(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > MAX_LENGTH)
    return `it is not a text of at most ${MAX_LENGTH} characters`;
  // its origin goes into a header, and what a URL parser would silently drop or encode is refused
  if (!/^[\x21-\x7e]+$/.test(value) || /["'<>\\^`{|};,]/.test(value))
    return 'it has a space or another character that must be percent-encoded';
  if (!URL.canParse(value) || !namesItsAuthority(value))
    return 'it is not an absolute URL such as https://app.example/logo.png';
  const { protocol, username, password } = new URL(value);
  if (protocol !== 'https:') return 'it must be an https: URL';
  return username !== '' || password !== '' ? 'it has a user name or password before the host' : undefined;
}
