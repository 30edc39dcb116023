import type { Client } from './client.js';

/**
 * Whether a client was registered by itself or by a person on the applications page, and nobody of the site has vouched
 * for it: what it stores without asking anybody has a limit.
 */
export function isByOthers({ registration, ownerId, trusted, verified }: Client): boolean {
  if (trusted || verified === true || registration?.adoptedAt !== undefined) return false;
  return registration !== undefined || ownerId !== undefined;
}
