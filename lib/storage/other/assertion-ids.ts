import { createHash } from 'node:crypto';

import type { AssertionIds } from '../../core/client-authentication/verify-assertion.js';
import { openCollection, SCHEMA_OPTIONS } from '../connection/collection.js';
import type { Database } from '../connection/database.js';
import type { CollectionDefinition } from '../connection/model.js';

/** The id of an assertion that was used, kept while the assertion could be used again. */
export interface UsedAssertionId {
  /** A hash of client and `jti`, so that its size is bounded. */
  readonly _id: string;
  readonly expiresAt: Date;
}

export const ASSERTION_IDS: CollectionDefinition<UsedAssertionId> = {
  model: 'AuthorizationServerAssertionId',
  name: 'oauth_assertion_ids',
  schema: ({ Schema }) =>
    new Schema<UsedAssertionId>(
      { _id: { type: String, required: true }, expiresAt: { type: Date, required: true } },
      SCHEMA_OPTIONS,
    ).index({ expiresAt: 1 }, { expireAfterSeconds: 0 }),
};

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
