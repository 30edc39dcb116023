/** RFC 8414 §3 */
export const AUTHORIZATION_SERVER_METADATA = '/.well-known/oauth-authorization-server';
/** The metadata for clients of OpenID Connect. OpenID Connect Discovery §4 */
export const OPENID_CONFIGURATION = '/.well-known/openid-configuration';
/** The metadata of a transmitter. Shared Signals Framework §7.2 */
export const SSF_CONFIGURATION = '/.well-known/ssf-configuration';

/** The two addresses of a document about an issuer; equal if the issuer has no path. */
export function wellKnownUrls(issuer: string, document: string) {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  return {
    /** RFC 8414 §3.1, Shared Signals Framework §7.2.1: between the host and the path, which does not end in `/`. */
    beforePath: `${origin}${document}${path}`,
    /** RFC 8414 §5, OpenID Connect Discovery §4: below the path. */
    belowPath: `${origin}${path}${document}`,
  };
}
