import { type Connection, type Model, Schema } from 'mongoose';

import type { SigningAlgorithm } from '../crypto/key-material.js';
import { collectionOf, modelOf, SCHEMA_OPTIONS } from './collection.js';
import { isDuplicateKey, type Storage } from './storage.js';

/** A signing key as it is stored. */
export interface StoredSigningKey {
  /** Its generation: 1, 2, 3… As the id it lets several processes make only one successor of a key. */
  readonly _id: number;
  readonly kid: string;
  readonly algorithm: SigningAlgorithm;
  /** The private JWK: a JWE where the host gave a secret to encrypt it with, else JSON. */
  readonly privateKey: string;
  readonly createdAt: Date;
  /** When it begins to sign; it is published at once. */
  readonly activatesAt: Date;
  /** Set when it has a successor: when the last token signed by it has expired. The TTL index removes it then. */
  readonly expiresAt?: Date;
}

const signingKeySchema = () =>
  new Schema<StoredSigningKey>(
    {
      _id: { type: Number, required: true },
      kid: { type: String, required: true },
      algorithm: { type: String, required: true },
      privateKey: { type: String, required: true },
      createdAt: { type: Date, required: true },
      activatesAt: { type: Date, required: true },
      expiresAt: Date,
    },
    SCHEMA_OPTIONS,
  ).index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

/** The collection of signing keys; each method is one command to MongoDB. */
export interface SigningKeyStore {
  readonly model: Model<StoredSigningKey>;
  /** All that have not expired, the newest generation first. */
  findLive(now: Date): Promise<StoredSigningKey[]>;
  /** False where another process has made this generation already. */
  insertGeneration(key: StoredSigningKey): Promise<boolean>;
  /** Gives an end to the generations before this one that have none yet. */
  retireBefore(generation: number, expiresAt: Date): Promise<void>;
}

export function createSigningKeyStore(connection: Connection, storage: Storage): SigningKeyStore {
  const model = modelOf(connection, 'OAuthSigningKey', 'oauth_signing_keys', signingKeySchema);
  const collection = collectionOf(connection, model.collection.name);

  return {
    model,
    findLive: (now) =>
      storage.run(() =>
        collection()
          .find<StoredSigningKey>({ $or: [{ expiresAt: { $exists: false } }, { expiresAt: { $gt: now } }] })
          .sort({ _id: -1 })
          .toArray(),
      ),
    async insertGeneration(key) {
      try {
        await storage.run(() => collection().insertOne(key as never));
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
    async retireBefore(generation, expiresAt) {
      await storage.run(() =>
        collection().updateMany(
          { _id: { $lt: generation } as never, expiresAt: { $exists: false } },
          { $set: { expiresAt } },
        ),
      );
    },
  };
}
