import { isLoopbackHost } from '../protocol/redirect-uri.js';
import type { Client } from './client.js';

/** What requests to addresses that clients have named are held to. */
export interface ClientAddressLimits {
  readonly allowPrivateAddresses: boolean;
  /** Whether those that have named themselves may be on this machine: for development. Default: they may not. */
  readonly allowLoopback?: boolean;
}

/**
 * The same as they hold for one address of a client. What the site lets its own clients have in its network is nothing
 * to one that registered or describes itself: whoever it is, the requests would be ours.
 *
 * @see OAuth Client ID Metadata Document §8.6, RFC 9700 §4.11
 */
export function limitsFor<Limits extends ClientAddressLimits>(
  limits: Limits,
  client: Partial<Pick<Client, 'registration' | 'document' | 'verified' | 'trusted'>>,
  address: string,
): Limits {
  return isStranger(client) ? limitsOfStrangers(limits, address) : limits;
}

export function limitsOfStrangers<Limits extends ClientAddressLimits>(
  limits: Limits,
  address: string,
): Limits {
  const { allowPrivateAddresses, allowLoopback = false } = limits;
  return {
    ...limits,
    allowPrivateAddresses: allowPrivateAddresses && allowLoopback && isOnLoopback(address),
  };
}

/** Whether nobody of the site has said where a client is; a document may say another thing each day. */
export function isStranger({
  registration,
  document,
  verified,
  trusted,
}: Partial<Pick<Client, 'registration' | 'document' | 'verified' | 'trusted'>>): boolean {
  if (document !== undefined) return true;
  return registration !== undefined && registration.adoptedAt === undefined && verified !== true && !trusted;
}

function isOnLoopback(address: string): boolean {
  return URL.canParse(address) && isLoopbackHost(new URL(address).hostname);
}
