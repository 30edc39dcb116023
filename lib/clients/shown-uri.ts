import { findPageUriProblem } from './page-uri.js';

/**
 * An address that a client gives of itself (its logo, its home page, its terms), if it may be shown: a client that
 * nobody has checked can say anything of itself, and could show the mark or the terms of somebody else, or count from
 * another site who looks at the page. One at the host to which the person goes on tells that host nothing new.
 *
 * @see RFC 7591 §5
 */
export function findShownUri(
  uri: string | undefined,
  redirectUri: string | undefined,
  isVerified: boolean,
): string | undefined {
  if (uri === undefined || findPageUriProblem(uri) !== undefined) return undefined;
  const isAtRedirectUri = redirectUri !== undefined && new URL(uri).host === new URL(redirectUri).host;
  return isVerified || isAtRedirectUri ? uri : undefined;
}
