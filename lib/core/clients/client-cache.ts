import { createCache } from '../../shared/lru-cache.js';
import type { Client } from './client.js';
import type { ClientStore } from './client-store.js';

const MAX_CLIENTS = 1000;

/**
 * A store that remembers what `find` found, for those who do not need it fresh. What this process changes it forgets at
 * once; what another one changes when `watch` says so, and after `life` seconds at the latest (0: it remembers nothing).
 */
export function withClientCache<Store extends ClientStore>(
  clients: Store,
  { life, watch }: { readonly life: number; readonly watch: (forget: (clientId: string) => void) => void },
): Store {
  if (life === 0) return clients;
  const cache = createCache<Client>({ size: MAX_CLIENTS, ttl: life });
  let changes = 0;
  const forget = (clientId: string) => {
    changes += 1;
    cache.delete(clientId);
  };
  /** Also if the change failed: a command that was not answered in time may be done all the same. */
  const changing = <T>(clientId: string, change: Promise<T>) => change.finally(() => forget(clientId));

  const findNow = async (clientId: string): Promise<Client | null> => {
    const before = changes;
    const client = await clients.find(clientId);
    // what was read while something changed may be older than the change; nobody is refused by what is remembered:
    // one that does not exist, or is blocked, may be there or free the next moment
    if (client === null || client.blocked !== undefined || changes !== before) cache.delete(clientId);
    else {
      watch(forget);
      cache.set(clientId, client);
    }
    return client;
  };

  return {
    ...clients,
    find: async (clientId, { fresh = true } = {}) =>
      (fresh ? undefined : cache.get(clientId)) ?? findNow(clientId),
    update: (before, ...change) => changing(before.clientId, clients.update(before, ...change)),
    replaceSecrets: (clientId, ...change) => changing(clientId, clients.replaceSecrets(clientId, ...change)),
    noteDocument: (clientId, document) => changing(clientId, clients.noteDocument(clientId, document)),
    delete: (clientId) => changing(clientId, clients.delete(clientId)),
    async prolong(client, now) {
      let isChanged = true;
      try {
        isChanged = await clients.prolong(client, now);
        return isChanged;
      } finally {
        if (isChanged) forget(client.clientId);
      }
    },
    replaceRegistered: (current, replacement) =>
      changing(current.clientId, clients.replaceRegistered(current, replacement)),
    deleteRegistered: (clientId, hash) => changing(clientId, clients.deleteRegistered(clientId, hash)),
  } satisfies ClientStore;
}
