import { createMemory } from '../crypto/cache.js';
import type { Grant } from '../grants/grant.js';
import type { Grants } from './grants.js';

/** The grants, of which those whose code was given a moment ago are known without asking the database. */
export interface RememberedGrants extends Grants {
  /**
   * The grant of a code for its first redemption: as this process has stored it, else as it is. Either way it may have
   * been revoked or redeemed meanwhile; `redeemCode` decides.
   */
  findOfCode(id: string): Promise<Grant | null>;
}

const MOST_CODES = 1000;

/** Most codes are redeemed a moment after they were given. What a grant is bound to does not change in between. */
export function rememberCodes(grants: Grants): RememberedGrants {
  const cache = createMemory<Grant>({ size: MOST_CODES });

  return {
    ...grants,
    async insert(grant) {
      await grants.insert(grant);
      if (grant.code !== undefined)
        cache.set(grant._id, grant, { ttl: Math.max(1, grant.code.expiresAt.getTime() - Date.now()) });
    },
    async findOfCode(id) {
      const remembered = cache.get(id);
      cache.delete(id);
      return remembered ?? grants.find(id);
    },
  };
}
