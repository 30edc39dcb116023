import type { ClientStore } from '../../core/clients/client-store.js';
import type { Emit } from '../../core/observability/events.js';
import type { RegistrationSettings } from '../../settings/features/registration-options.js';
import { OAuthError } from '../../shared/errors.js';
import { createKeyedMutex } from '../../shared/limits/keyed-mutex.js';

export interface RegistrationRoomDependencies {
  readonly clients: Pick<ClientStore, 'countUnused' | 'removeOldestUnused'>;
  readonly registration: Pick<RegistrationSettings, 'maxClients'>;
}

/** Runs what stores a new client once there is room for it. @throws OAuthError temporarily_unavailable */
export type InRoom = <T>(store: () => Promise<T>, now: Date, emit: Emit) => Promise<T>;

/** Seconds in which a client that registers is used for the first time; so long it gives way to nobody. */
const GRACE = 600;
/** From this share on the site is told, once in a while. */
const NEARLY_FULL = 0.8;
const REPORT_INTERVAL = 3_600_000;
const MAX_TRIES = 3;

/**
 * Counts the clients that registered themselves and wait for their first use. If there is no room, the one that waits
 * longest goes: whoever fills it has to come again and again, and nobody who is in use goes or counts.
 */
export function createRegistrationRoom({ clients, registration }: RegistrationRoomDependencies): InRoom {
  const { maxClients } = registration;
  const keyedMutex = createKeyedMutex();
  let reportedAt = -Infinity;

  const makeRoom = async (now: Date): Promise<void> => {
    const before = new Date(now.getTime() - GRACE * 1000);
    for (let tries = 0; tries < MAX_TRIES; tries += 1) if (await clients.removeOldestUnused(before)) return;
    throw new OAuthError('temporarily_unavailable', 'no more clients can be registered for the moment', {
      headers: { 'Retry-After': String(GRACE) },
      detail: `registration.maxClients: ${maxClients} wait for their first use, none for over ${GRACE} s`,
    });
  };

  // counted and stored in turn: a hundred at once must not all be the last one that fits
  return (store, now, emit) =>
    keyedMutex('', async () => {
      const waiting = await clients.countUnused(maxClients);
      if (waiting + 1 >= maxClients * NEARLY_FULL && now.getTime() - reportedAt >= REPORT_INTERVAL) {
        reportedAt = now.getTime();
        emit('registration.nearly_full', { count: waiting });
      }
      if (waiting >= maxClients) await makeRoom(now);
      return store();
    });
}
