import type { Settings } from '../../settings/settings.js';
import { isLoopbackHost } from '../../shared/protocol/redirect-uri.js';
import type { Client } from './client.js';
import { isUnverifiedThirdParty } from './provenance.js';

/**
 * Whether a browser may be sent to a client without a click on a link: never to a blocked client; to an unverified
 * third party neither if the options forbid it, nor if anybody could have opened the request.
 *
 * @param cause `isAnonymous`: whether nobody is logged in, and nobody has clicked on a page of this server
 * @see RFC 9700 §4.11.2
 */
export function mayRedirectTo(
  client: Client,
  cause: { readonly pages: Settings['pages']; readonly isAnonymous: boolean },
): boolean {
  if (client.blocked !== undefined) return false;
  return !isUnverifiedThirdParty(client) || !(cause.pages.linkToUnverifiedClients || cause.isAnonymous);
}

/** Whether a redirect URI leads to an app on the user's device (RFC 8252 §7.1, §7.3). */
export function isOnDevice(redirectUri: string): boolean {
  const { protocol, hostname } = new URL(redirectUri);
  return protocol === 'http:' ? isLoopbackHost(hostname) : protocol !== 'https:';
}
