import type { OnError } from '../../../settings/options/on-error.js';
import { createCache } from '../../../shared/lru-cache.js';
import { createStoredLater } from '../../observability/stored-later.js';
import type { Client, ClientSecret } from '../client.js';
import type { ClientStore } from '../client-store.js';

export interface SecretUse {
  /** Whether a client has sent its secret form-urlencoded that it could have sent undecoded. Default: false. */
  readonly endsRawBasic?: boolean;
}

interface Use extends SecretUse {
  readonly clientId: string;
  readonly hash: string;
  readonly day: Date;
}

/** Maximum number of cached secrets with a stored day, and of waiting days: more are recorded at the next use. */
const MAX_COUNTED = 10_000;
const MAX_WAITING = 1000;
const DAY = 86_400_000;

/** Records the day on which each client secret was last used. */
export type SecretUses = ReturnType<typeof createSecretUses>;

/**
 * Stores the days in the background: no token request waits for a day or fails because of it. A day is stored once for
 * each secret, by one command of each process that has seen it used; a day that a dying process loses is recorded at
 * the next use.
 *
 * @param options `interval`: milliseconds that a day waits to be stored, by default five minutes
 */
export function createSecretUses(options: {
  readonly clients: Pick<ClientStore, 'noteSecretUse' | 'endRawBasic'>;
  readonly onError?: OnError | undefined;
  readonly interval?: number;
}) {
  const { clients, onError, interval = 300_000 } = options;
  const recordedDays = createCache<Date>({ size: MAX_COUNTED });
  const later = createStoredLater<Use>({
    interval,
    store: async ({ clientId, hash, day, endsRawBasic = false }) => {
      await clients.noteSecretUse(clientId, hash, day);
      if (endsRawBasic) await clients.endRawBasic(clientId, hash);
    },
    onLost: ({ hash }) => void recordedDays.delete(hash),
    onError,
    failure: {
      endpoint: 'clients',
      detail: 'the day on which a client secret was last used could not be stored',
    },
  });

  return {
    /** Records a use in memory; never fails. */
    note: (
      { clientId }: Pick<Client, 'clientId'>,
      { hash, lastUsedOn }: ClientSecret,
      { endsRawBasic = false }: SecretUse = {},
    ) => {
      const day = new Date(Math.floor(Date.now() / DAY) * DAY);
      const stored = recordedDays.get(hash) ?? lastUsedOn;
      const isStored = stored !== undefined && stored >= day && !endsRawBasic;
      if (isStored || later.waiting.size >= MAX_WAITING) return;
      recordedDays.set(hash, day);
      later.set(hash, { clientId, hash, day, endsRawBasic });
    },
    /** Stores the waiting days of a client before it is read. Always resolves. */
    flush: (clientId: string) => later.flush((use) => use.clientId === clientId),
    /** Stores the waiting days, and stops. Always resolves. */
    close: later.close,
  };
}
