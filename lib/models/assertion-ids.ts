import { createHash } from 'node:crypto';

import { type Connection, type Model, Schema } from 'mongoose';

import type { AssertionIds } from '../clients/assertion-ids.js';
import { collectionOf, modelOf, SCHEMA_OPTIONS } from './collection.js';
import { isDuplicateKey, type Storage } from './storage.js';

/** The id of an assertion that was used, kept while the assertion could be used again. */
export interface UsedAssertionId {
  /** A hash of client and `jti`, so that its size is bounded. */
  readonly _id: string;
  readonly expiresAt: Date;
}

const assertionIdSchema = () =>
  new Schema<UsedAssertionId>(
    { _id: { type: String, required: true }, expiresAt: { type: Date, required: true } },
    SCHEMA_OPTIONS,
  ).index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

/** The collection of one-time ids; each method is one command to MongoDB. */
export interface AssertionIdCollection extends AssertionIds {
  readonly model: Model<UsedAssertionId>;
}

export function createAssertionIds(connection: Connection, storage: Storage): AssertionIdCollection {
  const model = modelOf(connection, 'OAuthAssertionId', 'oauth_assertion_ids', assertionIdSchema);
  const collection = collectionOf(connection, model.collection.name);
  return {
    model,
    async use(clientId, jti, expiresAt) {
      const _id = createHash('sha256')
        .update(JSON.stringify([clientId, jti]))
        .digest('base64url');
      try {
        await storage.run(() => collection().insertOne({ _id, expiresAt } as never));
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
  };
}
