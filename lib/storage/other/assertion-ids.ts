import { createHash } from 'node:crypto';

import type { AssertionIds } from '../../core/client-authentication/verify-assertion.js';
import { openCollection } from '../connection/collection.js';
import type { Database } from '../connection/database.js';
import { defineCollection, requiredType } from '../connection/model.js';

/** The id of an assertion that was used, kept while the assertion could be used again. */
export interface UsedAssertionId {
  /** A hash of client and `jti`, so that its size is bounded. */
  readonly _id: string;
  readonly expiresAt: Date;
}

export const ASSERTION_IDS = defineCollection<UsedAssertionId>({
  model: 'AuthorizationServerAssertionId',
  name: 'oauth_assertion_ids',
  fields: () => ({ _id: requiredType(String), expiresAt: requiredType(Date) }),
  ttl: 'expiresAt',
});

export function createAssertionIdStore(database: Database): AssertionIds {
  const used = openCollection(database, ASSERTION_IDS);

  return {
    use(clientId, jti, expiresAt) {
      const _id = createHash('sha256')
        .update(JSON.stringify([clientId, jti]))
        .digest('base64url');
      return used.insert({ _id, expiresAt });
    },
  };
}
