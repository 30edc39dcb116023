import type { ClientStanding } from '../../shared/outbound/limit-untrusted-fetch.js';
import type { Client } from './client.js';

/**
 * Whether a client registered or describes itself, or a user registered it on the applications page, and nobody of the
 * site has vouched for it. What such a client stores without a user is limited, and its addresses are a stranger's.
 */
export function isThirdParty(client: Partial<Client>): boolean {
  return isUnverifiedThirdParty(client) && client.registration?.adoptedAt === undefined;
}

/** Like `isThirdParty`, but adoption by an administrator does not count as verification. */
export function isUnverifiedThirdParty(client: Partial<Client>): boolean {
  const { registration, document, ownerId, verified, trusted } = client;
  const isOthers = registration !== undefined || document !== undefined || ownerId !== undefined;
  return isOthers && verified !== true && !trusted;
}

export function standingOf(client: Partial<Client>): ClientStanding {
  const { document, registration } = client;
  // even if its host is trusted: anybody can make up addresses there
  if (document?.isUnstored === true) return 'unknown';
  if (!isThirdParty(client)) return 'vouched';
  return registration?.unusedSince === undefined ? 'stored' : 'unknown';
}
