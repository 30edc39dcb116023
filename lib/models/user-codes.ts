import { type Connection, type Model,Schema } from 'mongoose';

import { collectionOf, modelOf, SCHEMA_OPTIONS } from './collection.js';
import { isDuplicateKey, type Storage } from './storage.js';

/**
 * Where the grant of a user code is: the code is the only key a person has, and the grant has another one. As an id it
 * is unique, also where the grants are spread over many machines.
 *
 * @see RFC 8628 §3.2
 */
interface StoredUserCode {
  /** The code's hash. */
  readonly _id: string;
  readonly grantId: string;
  readonly expiresAt: Date;
}

const userCodeSchema = () =>
  new Schema<StoredUserCode>(
    {
      _id: { type: String, required: true },
      grantId: { type: String, required: true },
      expiresAt: { type: Date, required: true },
    },
    SCHEMA_OPTIONS,
  ).index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

/** The collection of user codes; each method is one command to MongoDB. */
export interface UserCodes {
  readonly model: Model<StoredUserCode>;
  /** False where another device has this code at the moment. */
  reserve(hash: string, grantId: string, expiresAt: Date): Promise<boolean>;
  findGrantId(hash: string): Promise<string | null>;
}

export function createUserCodes(connection: Connection, storage: Storage): UserCodes {
  const model = modelOf(connection, 'OAuthUserCode', 'oauth_user_codes', userCodeSchema);
  const collection = collectionOf(connection, model.collection.name);

  return {
    model,
    async reserve(hash, grantId, expiresAt) {
      try {
        await storage.run(() => collection().insertOne({ _id: hash, grantId, expiresAt } as never));
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
    async findGrantId(hash) {
      const found = await storage.run(() => collection.readOne<StoredUserCode>({ _id: hash }));
      return found === null ? null : found.grantId;
    },
  };
}
