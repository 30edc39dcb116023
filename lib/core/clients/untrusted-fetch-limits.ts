import { isLoopbackIssuer } from '../../settings/endpoint-urls.js';
import type { Settings } from '../../settings/settings.js';
import type { FetchLimits } from '../../shared/outbound/safe-fetch.js';
import { isLoopbackHost } from '../../shared/protocol/redirect-uri.js';
import type { Client } from './client.js';
import { isThirdParty } from './provenance.js';

export interface ClientFetchLimits extends FetchLimits {
  /** Whether a third-party client's addresses may be on loopback: for development. */
  readonly allowLoopback: boolean;
}

/** Milliseconds, because a request waits for the response; bytes, many times the size of a key set. */
export const PUBLIC_ADDRESSES: ClientFetchLimits = {
  allowPrivateAddresses: false,
  allowLoopback: false,
  timeout: 3000,
  maxBytes: 65_536,
};

export function clientFetchLimits(settings: Settings): ClientFetchLimits {
  const { allowPrivateAddresses } = settings.clientAuthentication;
  return { ...PUBLIC_ADDRESSES, allowPrivateAddresses, allowLoopback: isLoopbackIssuer(settings) };
}

/**
 * The limits for one address of a client. Access to private addresses is for the site's own clients; a third-party
 * client could use this server's requests to reach its network.
 *
 * @see OAuth Client ID Metadata Document §8.6, RFC 9700 §4.11
 */
export function fetchLimitsFor(limits: ClientFetchLimits, client: Partial<Client>, address: string) {
  if (!requiresPublicAddresses(client)) return limits;
  const isOnLoopback = URL.canParse(address) && isLoopbackHost(new URL(address).hostname);
  return {
    ...limits,
    allowPrivateAddresses: limits.allowPrivateAddresses && limits.allowLoopback && isOnLoopback,
  };
}

/** Whether a client may name only public addresses. Nobody can vouch for a document, which may change every day. */
export function requiresPublicAddresses(client: Partial<Client>): boolean {
  return client.document !== undefined || isThirdParty(client);
}
