import { isLoopbackIssuer } from '../../settings/endpoint-urls.js';
import type { Settings } from '../../settings/settings.js';
import type { FetchLimits } from '../../shared/outbound/safe-fetch.js';
import { isLoopbackHost } from '../../shared/protocol/redirect-uri.js';
import type { Client } from './client.js';
import { isThirdParty } from './provenance.js';

export interface ClientFetchLimits extends FetchLimits {
  /** Whether those that have named themselves may be on this machine: for development. */
  readonly allowLoopback: boolean;
}

/** Milliseconds, since a request waits for the answer; bytes, many times those of a key set. */
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
 * The same as they hold for one address of a client. What the site lets its own clients have in its network is nothing
 * to one that nobody of the site has vouched for: whoever it is, the requests would be ours.
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

/** Nobody can vouch for the addresses in a document: it may say another thing each day. */
export function requiresPublicAddresses(client: Partial<Client>): boolean {
  return client.document !== undefined || isThirdParty(client);
}
