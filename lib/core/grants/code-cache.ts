import { createMemory } from '../../shared/lru-cache.js';
import type { Grant } from './grant.js';
import type { GrantStore } from './grant-store.js';

const MOST_CODES = 1000;

/** Saves the read: codes are usually redeemed within seconds by the same process, and their bindings are immutable. */
export function rememberCodes<Store extends GrantStore>(grants: Store): Store {
  const cache = createMemory<Grant>({ size: MOST_CODES });

  return {
    ...grants,
    async insert(grant) {
      await grants.insert(grant);
      if (grant.code !== undefined)
        cache.set(grant.grantId, grant, { ttl: Math.max(1, grant.code.expiresAt.getTime() - Date.now()) });
    },
    async findOfCode(id) {
      const remembered = cache.get(id);
      cache.delete(id);
      return remembered ?? grants.findOfCode(id);
    },
  };
}
