import type { UserCodeStore } from '../../core/grants/grant-store.js';
import { Collection } from '../connection/collection.js';
import type { Database } from '../connection/database.js';
import { defineCollection, requiredType } from '../connection/model.js';

/** A user code, as stored. Its hash is the id, so it is unique even if the grants are sharded. */
export interface StoredUserCode {
  readonly _id: string;
  readonly grantId: string;
  readonly expiresAt: Date;
}

export const USER_CODES = defineCollection<StoredUserCode>({
  model: 'AuthorizationServerUserCode',
  name: 'oauth_user_codes',
  fields: () => ({
    grantId: requiredType(String),
  }),
  ttl: 'expiresAt',
});

export function createUserCodeStore(database: Database): UserCodeStore {
  const codes = new Collection(database, USER_CODES);

  return {
    reserve: (hash, grantId, expiresAt) => codes.insert({ _id: hash, grantId, expiresAt }),
    async findGrantId(hash) {
      const found = await codes.findOne({ _id: hash });
      return found === null ? null : found.grantId;
    },
  };
}
