import type { Client } from '../clients/client.js';
import { createMemory } from '../crypto/cache.js';
import type { Clients } from './clients.js';

export interface RememberedClientsOptions {
  /** Seconds that a client is remembered; 0: not at all. */
  readonly life: number;
  /** Begins to tell, by `forget`, of clients that other processes have changed. */
  readonly watch: (forget: (id: string) => void) => void;
}

/** The clients, some of which are known without asking the database. */
export interface RememberedClients extends Clients {
  /** The client as it was read some seconds ago at most; undefined where it was not. */
  recall(id: string): Client | undefined;
}

const MOST_CLIENTS = 1000;

/** Remembers what `find` found. What this process changes it forgets at once, what another one changes by its age at the latest. */
export function rememberClients(
  clients: Clients,
  { life, watch }: RememberedClientsOptions,
): RememberedClients {
  if (life === 0) return { ...clients, recall: () => undefined };
  const cache = createMemory<Client>({ size: MOST_CLIENTS, life });
  let changes = 0;
  const forget = (id: string) => {
    changes += 1;
    cache.delete(id);
  };
  /** Also where the change failed: a command that was not answered in time may be done all the same. */
  const changing = <T>(id: string, change: Promise<T>): Promise<T> => change.finally(() => forget(id));

  return {
    ...clients,
    recall: (id) => cache.get(id),
    async find(id) {
      const before = changes;
      const client = await clients.find(id);
      // what was read while something changed may be older than the change; what does not exist may the next moment
      if (client === null || changes !== before) return client;
      watch(forget);
      cache.set(id, client);
      return client;
    },
    update: (id, ...change) => changing(id, clients.update(id, ...change)),
    replaceSecrets: (id, ...change) => changing(id, clients.replaceSecrets(id, ...change)),
    delete: (id) => changing(id, clients.delete(id)),
    keep: (client) =>
      client.expiresAt === undefined ? clients.keep(client) : changing(client.clientId, clients.keep(client)),
    replaceRegistered: (current, replacement) =>
      changing(current.clientId, clients.replaceRegistered(current, replacement)),
    deleteRegistered: (id, hash) => changing(id, clients.deleteRegistered(id, hash)),
  };
}
