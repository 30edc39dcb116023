import { isSecureUrl, namesItsAuthority, uriProblem } from '../../shared/protocol/redirect-uri.js';

const MAX_LENGTH = 2048;

/** Why an address cannot be a client's home page, logo, privacy policy or terms; undefined if it can. */
export function findPageUriProblem(value: unknown) {
  if (typeof value !== 'string' || value.length > MAX_LENGTH)
    return uriProblem('uriTooLong', `it is not a text of at most ${MAX_LENGTH} characters`, {
      max: MAX_LENGTH,
    });
  // the origin goes into a header, and characters that a URL parser would silently drop or encode are refused
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
 * A page of a client (its logo, home page, terms) if the consent page may display it. An unverified client could use
 * somebody else's logo or terms, or track visitors of the page from another site. A page at the host of the redirect
 * URI tells that host nothing new.
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
