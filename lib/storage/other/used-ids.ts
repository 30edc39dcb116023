import { hashSecret } from '../../shared/crypto/secrets.js';
import { Collection } from '../connection/collection.js';
import type { Database } from '../connection/database.js';
import { type CollectionDefinition, defineCollection } from '../connection/model.js';

/** The id of an assertion or a DPoP proof that was used, kept while it could be used again. */
export interface UsedId {
  /** A hash of `jti` and the client or key, so that its size is bounded. */
  readonly _id: string;
  readonly expiresAt: Date;
}

const defineUsedIds = (model: string, name: string) =>
  defineCollection<UsedId>({ model, name, fields: () => ({}), ttl: 'expiresAt' });

export const ASSERTION_IDS = defineUsedIds('AuthorizationServerAssertionId', 'oauth_assertion_ids');
export const USED_PROOFS = defineUsedIds('AuthorizationServerUsedProof', 'oauth_used_proofs');

/** If two processes insert at once, only one succeeds. */
export function createUsedIdStore(database: Database, collection: CollectionDefinition<UsedId>) {
  const used = new Collection(database, collection);
  return {
    use: (owner: string, jti: string, expiresAt: Date) =>
      used.insert({ _id: hashSecret(JSON.stringify([owner, jti])), expiresAt }),
  };
}
