import type { ClientStore } from '../../core/clients/client-store.js';
import { OAuthError } from '../../shared/errors.js';
import { insertWithinLimit, type LimitedInsert } from '../../shared/limits/insert-within-limit.js';
import { createKeyedMutex } from '../../shared/limits/keyed-mutex.js';
import type { RegistrationSettings } from './options.js';

/** Stores a new client if the quota allows another one. @throws OAuthError temporarily_unavailable */
export type WithinQuota = (
  stored: Pick<LimitedInsert<void>, 'insert' | 'remove'>,
  now: Date,
) => Promise<void>;

/** Grace period in seconds: an unused client is not evicted before it. */
const GRACE = 600;
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
  // in turn: of a hundred at once at one process none is stored in vain
  return (stored, now) =>
    keyedMutex('', () =>
      insertWithinLimit({
        ...stored,
        max: maxClients,
        async count(limit) {
          const waiting = await clients.countUnused(limit);
          if (waiting < limit) return waiting;
          const before = new Date(now.getTime() - GRACE * 1000);
          for (let tries = 0; tries < MAX_TRIES; tries += 1)
            if (await clients.removeOldestUnused(before)) return limit - 1;
          return waiting;
        },
        tooMany: () =>
          new OAuthError('temporarily_unavailable', 'no more clients can be registered for the moment', {
            headers: { 'Retry-After': String(GRACE) },
            detail: `registration.maxClients: ${maxClients} wait for their first use, none for over ${GRACE} s`,
          }),
      }),
    );
}
