/** RFC 8414 §3 */
export const AUTHORIZATION_SERVER_METADATA = '/.well-known/oauth-authorization-server';
/** Where clients of OpenID Connect look for the metadata. OpenID Connect Discovery §4 */
export const OPENID_CONFIGURATION = '/.well-known/openid-configuration';
/** The metadata of a transmitter. Shared Signals Framework §7.2 */
export const SSF_CONFIGURATION = '/.well-known/ssf-configuration';

/** The two addresses of a document about an issuer; the same if the issuer has no path. */
export interface WellKnownUrls {
  /** RFC 8414 §3.1, Shared Signals Framework §7.2.1: between the host and the path, which does not end in `/`. */
  readonly beforePath: string;
  /** RFC 8414 §5, OpenID Connect Discovery §4: below the path. */
  readonly belowPath: string;
}

export function wellKnownUrlsOf(issuer: string, document: string): WellKnownUrls {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  return { beforePath: `${origin}${document}${path}`, belowPath: `${origin}${path}${document}` };
}
