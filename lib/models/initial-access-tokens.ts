import { type Connection, type Model, Schema } from 'mongoose';

import type { InitialAccessToken, InitialAccessTokenStore } from '../clients/initial-access-token-store.js';
import type { PresentedToken } from '../crypto/secrets.js';
import { collectionOf, modelOf, SCHEMA_OPTIONS } from './collection.js';
import type { Storage } from './storage.js';

/** An initial access token, as stored. */
export type StoredInitialAccessToken = Omit<InitialAccessToken, 'id'> & { readonly _id: string };

const initialAccessTokenSchema = () =>
  new Schema<StoredInitialAccessToken>(
    {
      _id: { type: String, required: true },
      hash: { type: String, required: true },
      uses: { type: Number, required: true },
      createdAt: { type: Date, required: true },
      expiresAt: { type: Date, required: true },
    },
    SCHEMA_OPTIONS,
  ).index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

/** The collection of initial access tokens; each method is one command to MongoDB. */
export interface InitialAccessTokenCollection extends InitialAccessTokenStore {
  readonly model: Model<StoredInitialAccessToken>;
}

export function createInitialAccessTokens(
  connection: Connection,
  storage: Storage,
): InitialAccessTokenCollection {
  const model = modelOf(
    connection,
    'OAuthInitialAccessToken',
    'oauth_initial_access_tokens',
    initialAccessTokenSchema,
  );
  const collection = collectionOf(connection, model.collection.name);
  const usable = ({ grantId, hash }: PresentedToken, now: Date) => ({
    _id: grantId as never,
    hash,
    uses: { $gt: 0 },
    expiresAt: { $gt: now },
  });

  return {
    model,
    async insert({ id, ...token }) {
      await storage.run(() => collection().insertOne({ _id: id, ...token } as never));
    },
    isUsable: async (token, now) =>
      (await storage.run(() => collection().findOne(usable(token, now), { projection: { _id: 1 } }))) !==
      null,
    async use(token, now) {
      const result = await storage.run(() =>
        collection().updateOne(usable(token, now), { $inc: { uses: -1 } }),
      );
      return result.matchedCount === 1;
    },
    async delete({ grantId, hash }) {
      const result = await storage.run(() => collection().deleteOne({ _id: grantId as never, hash }));
      return result.deletedCount === 1;
    },
  };
}
