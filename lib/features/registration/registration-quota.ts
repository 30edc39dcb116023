import type { ClientStore } from '../../core/clients/client-store.js';
import type { Emit } from '../../core/observability/events.js';
import { OAuthError } from '../../shared/errors.js';
import { createKeyedMutex } from '../../shared/limits/keyed-mutex.js';
import type { RegistrationSettings } from './options.js';

/** Runs what stores a new client if the quota allows another one. @throws OAuthError temporarily_unavailable */
export type WithinQuota = (store: () => Promise<void>, now: Date, emit: Emit) => Promise<void>;

/** Grace period in seconds: an unused client is not evicted before it. */
const GRACE = 600;
/** From this share on the site is told, once in a while. */
const NEARLY_FULL = 0.8;
const REPORT_INTERVAL = 3_600_000;
const MAX_TRIES = 3;

/**
 * Counts the clients that registered themselves and wait for their first use. If there are too many, the one that waits
 * longest goes: whoever fills the quota has to come again and again, and nobody who is in use goes or counts.
 */
export function createRegistrationQuota({
  clients,
  registration: { maxClients },
}: {
  readonly clients: ClientStore;
  readonly registration: RegistrationSettings;
}): WithinQuota {
  const keyedMutex = createKeyedMutex();
  let reportedAt = -Infinity;
  // counted and stored in turn: a hundred at once must not all be the last one that fits
  return (store, now, emit) =>
    keyedMutex('', async () => {
      const waiting = await clients.countUnused(maxClients);
      if (waiting + 1 >= maxClients * NEARLY_FULL && now.getTime() - reportedAt >= REPORT_INTERVAL) {
        reportedAt = now.getTime();
        emit('registration.nearly_full', { count: waiting });
      }
      const before = new Date(now.getTime() - GRACE * 1000);
      let isRoom = waiting < maxClients;
      for (let tries = 0; !isRoom && tries < MAX_TRIES; tries += 1)
        isRoom = await clients.removeOldestUnused(before);
      if (!isRoom)
        throw new OAuthError('temporarily_unavailable', 'no more clients can be registered for the moment', {
          headers: { 'Retry-After': String(GRACE) },
          detail: `registration.maxClients: ${maxClients} wait for their first use, none for over ${GRACE} s`,
        });
      return store();
    });
}
