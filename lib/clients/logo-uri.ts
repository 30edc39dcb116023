import { namesItsAuthority } from '../protocol/written-authority.js';

const MAX_LENGTH = 2048;

/** Why an address cannot be a client's logo, in words for the person who registers it; undefined where it can. */
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

/**
 * The logo, where it may be shown: a client that nobody has checked can say anything of itself, and could show the
 * mark of somebody else, or count from another site who looks at the page. One at the host to which the person goes
 * on tells that host nothing new.
 *
 * @see RFC 7591 §5
 */
export function findShownLogo(
  logoUri: string | undefined,
  redirectUri: string | undefined,
  isVerified: boolean,
): string | undefined {
  if (logoUri === undefined || findLogoUriProblem(logoUri) !== undefined) return undefined;
  const isAtRedirectUri = redirectUri !== undefined && new URL(logoUri).host === new URL(redirectUri).host;
  return isVerified || isAtRedirectUri ? logoUri : undefined;
}
