import { createCache } from '../../shared/lru-cache.js';
import type { Grant } from './grant.js';
import type { GrantStore } from './grant-store.js';

const MAX_CODES = 1000;

/** Saves the read: codes are usually redeemed within seconds by the same process, and their bindings are immutable. */
export function withCodeCache<Store extends GrantStore>(grants: Store): Store {
  const cache = createCache<Grant>({ size: MAX_CODES });

  return {
    ...grants,
    async insert(grant) {
      await grants.insert(grant);
      if (grant.code !== undefined)
        cache.set(grant.grantId, grant, { ttl: Math.max(1, grant.code.expiresAt.getTime() - Date.now()) });
    },
    async findOfCode(id) {
      const cached = cache.get(id);
      cache.delete(id);
      return cached ?? grants.findOfCode(id);
    },
  };
}
