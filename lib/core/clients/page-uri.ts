import { isSecureUrl, namesItsAuthority, uriProblem } from '../../shared/protocol/redirect-uri.js';

const MAX_LENGTH = 2048;

/** Undefined if an address can be a client's home page, logo, privacy policy or terms. */
export function findPageUriProblem(value: unknown) {
  if (typeof value !== 'string' || value.length > MAX_LENGTH)
    return uriProblem('uriTooLong', `it is not a text of at most ${MAX_LENGTH} characters`, {
      max: MAX_LENGTH,
    });
  // its origin goes into a header, and what a URL parser would silently drop or encode is refused
  if (!/^[\x21-\x7e]+$/.test(value) || /["'<>\\^`{|};,]/.test(value))
    return uriProblem('uriCharacters', 'it has a space or another character that must be percent-encoded');
  if (!URL.canParse(value) || !namesItsAuthority(value))
    return uriProblem('pageNotAbsolute', 'it is not an absolute URL such as https://app.example/logo.png');
  if (!isSecureUrl(value))
    return uriProblem('pageScheme', 'it must be an https: URL, or an http: URL on loopback');
  const { username, password } = new URL(value);
  return username !== '' || password !== ''
    ? uriProblem('uriUserinfo', 'it has a user name or password before the host')
    : undefined;
}

/**
 * An address that a client gives of itself (its logo, its home page, its terms), if it may be shown: a client that
 * nobody has checked can say anything of itself, and could show the mark or the terms of somebody else, or count from
 * another site who looks at the page. One at the host to which the user goes on tells that host nothing new.
 *
 * @see RFC 7591 §5
 */
export function findDisplayedUri(
  uri: string | undefined,
  redirectUri: string | undefined,
  isVerified: boolean,
): string | undefined {
  if (uri === undefined || findPageUriProblem(uri) !== undefined) return undefined;
  const isAtRedirectUri = redirectUri !== undefined && new URL(uri).host === new URL(redirectUri).host;
  return isVerified || isAtRedirectUri ? uri : undefined;
}
