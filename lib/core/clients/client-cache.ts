import { createCache } from '../../shared/lru-cache.js';
import type { Client } from './client.js';
import type { ClientStore } from './client-store.js';

const MAX_CLIENTS = 1000;

/**
 * A store that caches the results of `find`, for callers that do not need a fresh client. A change by this process
 * clears its entry at once; a change by another one when `watch` reports it, or after `life` seconds (0: no cache).
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
  /** Clears the entry even if the change failed: an unacknowledged command may still have been executed. */
  const changing = <T>(clientId: string, change: Promise<T>) => change.finally(() => forget(clientId));

  const findNow = async (clientId: string): Promise<Client | null> => {
    const before = changes;
    const client = await clients.find(clientId);
    // a result that was read during a change may be older than the change. Missing and blocked clients are not cached:
    // nobody is refused because of a cached result
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
