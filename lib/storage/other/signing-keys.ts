import type { SigningKeyRecord, SigningKeyStore } from '../../core/keys/signing-key-store.js';
import { Collection } from '../connection/collection.js';
import type { Database } from '../connection/database.js';
import { defineCollection, requiredType } from '../connection/model.js';

export const SIGNING_KEYS = defineCollection<SigningKeyRecord>({
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

export function createSigningKeyStore(database: Database, watch: SigningKeyStore['watch']): SigningKeyStore {
  const keys = new Collection(database, SIGNING_KEYS);

  return {
    findLive: (now) =>
      keys.find(
        { $or: [{ expiresAt: { $exists: false } }, { expiresAt: { $gt: now } }] },
        { sort: { _id: -1 } },
      ),
    insertGeneration: (key) => keys.insert(key),
    async retireBefore({ _id, line }, expiresAt) {
      const older = { _id: { $lt: _id }, line: line ?? { $exists: false }, expiresAt: { $exists: false } };
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
