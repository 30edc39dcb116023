import { createMemory } from '../crypto/cache.js';
import { OAuthError } from '../errors.js';
import { tellHost } from '../observability/report.js';
import type { OnError } from '../settings/on-error.js';
import type { Client, ClientSecret } from './client.js';
import type { ClientStore } from './client-store.js';

/** Notes the day on which each client secret was last used. */
export interface SecretUses {
  /** Costs nothing at that moment, whatever becomes of it. */
  note(client: Pick<Client, 'clientId'>, secret: ClientSecret): void;
  /** Stores what waits of a client, before it is looked at; resolves in any case. */
  flush(clientId: string): Promise<void>;
  /** Stores what waits, and ends; resolves in any case. */
  close(): Promise<void>;
}

export interface SecretUsesOptions {
  readonly clients: Pick<ClientStore, 'noteSecretUse'>;
  readonly onError?: OnError | undefined;
  /** Milliseconds that a day waits to be stored. Default: five minutes. */
  readonly interval?: number;
}

interface Use {
  readonly clientId: string;
  readonly hash: string;
  readonly day: Date;
}

/** Secrets whose day is known to be stored, and those that wait: more are noted at their next use. */
const MOST_KNOWN = 10_000;
const MOST_WAITING = 1000;
const DAY = 86_400_000;

/**
 * Keeps the days beside the requests: a token never waits for one, and no request fails by it. A day is stored once for
 * each secret, by one command of each process that has seen it used; what a process takes along as it dies is noted
 * again at the next use.
 */
export function createSecretUses({ clients, onError, interval = 300_000 }: SecretUsesOptions): SecretUses {
  const known = createMemory<Date>({ size: MOST_KNOWN });
  const waiting = new Map<string, Use>();
  let timer: NodeJS.Timeout | undefined;
  let isFailing = false;

  const store = async (uses: readonly Use[]): Promise<void> => {
    for (const use of uses) {
      waiting.delete(use.hash);
      try {
        await clients.noteSecretUse(use.clientId, use.hash, use.day);
        isFailing = false;
      } catch (cause) {
        known.delete(use.hash);
        // told when it begins: while the database is down every other request says so
        if (!isFailing) tellHost(onError, failure(cause), { requestId: '', endpoint: 'clients' });
        isFailing = true;
      }
    }
  };

  const storeLater = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      void store([...waiting.values()]);
    }, interval);
    // a process that has nothing else to do may end; `oauth.close()` stores the rest
    timer.unref();
  };

  return {
    note({ clientId }, { hash, lastUsedOn }) {
      const day = new Date(Math.floor(Date.now() / DAY) * DAY);
      const stored = known.get(hash) ?? lastUsedOn;
      if ((stored !== undefined && stored >= day) || waiting.size >= MOST_WAITING) return;
      known.set(hash, day);
      waiting.set(hash, { clientId, hash, day });
      storeLater();
    },
    flush: (clientId) => store([...waiting.values()].filter((use) => use.clientId === clientId)),
    async close() {
      clearTimeout(timer);
      await store([...waiting.values()]);
    },
  };
}

function failure(cause: unknown): OAuthError {
  return new OAuthError(
    'temporarily_unavailable',
    'the service is unable to handle the request for the moment, please try again',
    { detail: 'the day on which a client secret was last used could not be stored', cause },
  );
}
