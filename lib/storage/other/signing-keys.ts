import type { SigningKeyRecord, SigningKeyStore } from '../../core/keys/signing-key-store.js';
import { Collection } from '../connection/collection.js';
import type { CollectionChanges } from '../connection/collection-changes.js';
import type { Database } from '../connection/database.js';
import { defineCollection, requiredType } from '../connection/model.js';

/** A signing key, as stored. */
export type StoredSigningKey = Omit<SigningKeyRecord, 'generation'> & { readonly _id: number };

export const SIGNING_KEYS = defineCollection<StoredSigningKey>({
  model: 'AuthorizationServerSigningKey',
  name: 'oauth_signing_keys',
  fields: () => ({
    _id: requiredType(Number),
    kid: requiredType(String),
    algorithm: requiredType(String),
    line: String,
    privateKey: requiredType(String),
    createdAt: requiredType(Date),
    activatesAt: requiredType(Date),
    expiresAt: Date,
    notBefore: Date,
  }),
  ttl: 'expiresAt',
});

export function createSigningKeyStore(database: Database, { watch }: CollectionChanges): SigningKeyStore {
  const keys = new Collection(database, SIGNING_KEYS);

  return {
    async findLive(now) {
      const live = { $or: [{ expiresAt: { $exists: false } }, { expiresAt: { $gt: now } }] };
      const found = await keys.find(live, { sort: { _id: -1 } });
      return found.map(({ _id, ...key }) => ({ generation: _id, ...key }));
    },
    insertGeneration: ({ generation, ...key }) => keys.insert({ _id: generation, ...key }),
    async retireBefore({ generation, line }, expiresAt) {
      const older = {
        _id: { $lt: generation },
        line: line ?? { $exists: false },
        expiresAt: { $exists: false },
      };
      await keys.updateMany(older, { $set: { expiresAt } });
    },
    async activate(generation, activatesAt) {
      await keys.updateOne({ _id: generation }, { $set: { activatesAt } });
    },
    async remove(generation) {
      await keys.deleteOne({ _id: generation });
    },
    async refuseIssued() {
      await keys.updateMany({}, { $currentDate: { notBefore: true } });
    },
    watch,
  };
}
