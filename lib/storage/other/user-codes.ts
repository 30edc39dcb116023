import { Collection } from '../connection/collection.js';
import type { Database } from '../connection/database.js';
import { defineCollection, requiredType } from '../connection/model.js';

/** A stored user code. Its hash is the id, so it is unique even if the grants are sharded. */
export const USER_CODES = defineCollection<{
  readonly _id: string;
  readonly grantId: string;
  readonly expiresAt: Date;
}>({
  model: 'AuthorizationServerUserCode',
  name: 'oauth_user_codes',
  fields: () => ({ grantId: requiredType(String) }),
  ttl: 'expiresAt',
});

/**
 * Finds the grant of a user code: users have only the code, and grants have another key.
 *
 * @see RFC 8628 §3.2
 */
export function createUserCodeStore(database: Database) {
  const codes = new Collection(database, USER_CODES);

  return {
    /** False if another device has this code at present. */
    reserve: (hash: string, grantId: string, expiresAt: Date) =>
      codes.insert({ _id: hash, grantId, expiresAt }),
    findGrantId: async (hash: string) => (await codes.findOne({ _id: hash }))?.grantId ?? null,
  };
}
