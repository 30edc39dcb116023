import { isLoopbackHost } from '../../shared/protocol/redirect-uri.js';
import { isThirdParty } from './provenance.js';

/** What requests to addresses that clients have named are held to. */
export interface ClientAddressLimits {
  readonly allowPrivateAddresses: boolean;
  /** Whether those that have named themselves may be on this machine: for development. Default: they may not. */
  readonly allowLoopback?: boolean;
}

/** What says whose word the addresses of a client are. */
type AddressClient = Parameters<typeof isThirdParty>[0];

/**
 * The same as they hold for one address of a client. What the site lets its own clients have in its network is nothing
 * to one that nobody of the site has vouched for: whoever it is, the requests would be ours.
 *
 * @see OAuth Client ID Metadata Document §8.6, RFC 9700 §4.11
 */
export function fetchLimitsFor<Limits extends ClientAddressLimits>(
  limits: Limits,
  client: AddressClient,
  address: string,
): Limits {
  return requiresPublicAddresses(client) ? untrustedFetchLimits(limits, address) : limits;
}

export function untrustedFetchLimits<Limits extends ClientAddressLimits>(
  limits: Limits,
  address: string,
): Limits {
  const { allowPrivateAddresses, allowLoopback = false } = limits;
  return {
    ...limits,
    allowPrivateAddresses: allowPrivateAddresses && allowLoopback && isOnLoopback(address),
  };
}

/** Nobody can vouch for the addresses in a document: it may say another thing each day. */
export function requiresPublicAddresses(client: AddressClient): boolean {
  return client.document !== undefined || isThirdParty(client);
}

function isOnLoopback(address: string): boolean {
  return URL.canParse(address) && isLoopbackHost(new URL(address).hostname);
}
