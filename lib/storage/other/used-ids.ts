import { hashSecret } from '../../shared/crypto/secrets.js';
import { Collection } from '../connection/collection.js';
import type { Database } from '../connection/database.js';
import { type CollectionDefinition, defineCollection } from '../connection/model.js';

/** The id of a used assertion or DPoP proof, stored as long as it could be used again. */
export interface UsedId {
  /** A hash of `jti` and the client or key, which bounds its size. */
  readonly _id: string;
  readonly expiresAt: Date;
}

const defineUsedIds = (model: string, name: string) =>
  defineCollection<UsedId>({ model, name, fields: () => ({}), ttl: 'expiresAt' });

export const ASSERTION_IDS = defineUsedIds('AuthorizationServerAssertionId', 'oauth_assertion_ids');
export const USED_PROOFS = defineUsedIds('AuthorizationServerUsedProof', 'oauth_used_proofs');

/** The store of used ids. Of two concurrent inserts only one succeeds. */
export function createUsedIdStore(database: Database, collection: CollectionDefinition<UsedId>) {
  const used = new Collection(database, collection);
  return {
    use: (owner: string, jti: string, expiresAt: Date) =>
      used.insert({ _id: hashSecret(JSON.stringify([owner, jti])), expiresAt }),
  };
}
