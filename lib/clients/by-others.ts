import type { Client } from './client.js';

/**
 * Whether a client registered or describes itself, or was registered by a person on the applications page, and nobody
 * of the site has vouched for it. What it stores without asking anybody has a limit.
 */
export function isByOthers(client: Client): boolean {
  return isUnverified(client) && client.registration?.adoptedAt === undefined;
}

/** The same for what is done to a person: that an administrator took it over does not vouch for it yet. */
export function isUnverified(
  client: Pick<Client, 'registration' | 'document' | 'ownerId' | 'verified' | 'trusted'>,
): boolean {
  const { registration, document, ownerId, verified, trusted } = client;
  const isOthers = registration !== undefined || document !== undefined || ownerId !== undefined;
  return isOthers && verified !== true && !trusted;
}
