import { type Connection, type Model,Schema } from 'mongoose';

import { collectionOf, modelOf, SCHEMA_OPTIONS } from './collection.js';
import { eachOf, isDuplicateKey, type Storage } from './storage.js';

/** What a user has allowed a client, remembered so that the same question is not asked twice. */
export interface Consent {
  readonly userId: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

const consentSchema = () =>
  new Schema<Consent>(
    {
      userId: { type: String, required: true },
      clientId: { type: String, required: true },
      scopes: { type: [String], required: true },
      createdAt: { type: Date, required: true },
      updatedAt: { type: Date, required: true },
    },
    SCHEMA_OPTIONS,
  )
    .index({ userId: 1, clientId: 1 }, { unique: true })
    .index({ clientId: 1 });

/** The collection of consents; each method is one command to MongoDB. */
export interface Consents {
  readonly model: Model<Consent>;
  /** The scopes the user has allowed the client so far. */
  findScopes(userId: string, clientId: string): Promise<readonly string[] | null>;
  /** All that a user has allowed, the newest first, at most `limit`. */
  listOfUser(userId: string, limit: number): Promise<Consent[]>;
  /** Adds to what is remembered. */
  remember(userId: string, clientId: string, scopes: readonly string[]): Promise<void>;
  /** Forgets what a user allowed, or what a client was allowed, or both, in one command; says how many. */
  forget(of: { readonly userId?: string; readonly clientId?: string }): Promise<number>;
  /** How many users have allowed each of the clients, counted no further than `limit`; a client without one is not in it. */
  countUsers(
    clientIds: readonly string[],
    limit: number,
  ): Promise<{ readonly _id: string; readonly users: number }[]>;
}

export function createConsents(connection: Connection, storage: Storage): Consents {
  const model = modelOf(connection, 'OAuthConsent', 'oauth_consents', consentSchema);
  const collection = collectionOf(connection, model.collection.name);

  return {
    model,
    async findScopes(userId, clientId) {
      const consent = await storage.run(() =>
        collection.readOne<Consent>({ userId, clientId }, { scopes: 1 }),
      );
      return consent === null ? null : consent.scopes;
    },
    listOfUser: (userId, limit) =>
      storage.run(() =>
        collection().find<Consent>({ userId }).sort({ updatedAt: -1 }).limit(limit).toArray(),
      ),
    async remember(userId, clientId, scopes) {
      const now = new Date();
      const upsert = () =>
        storage.run(() =>
          collection().updateOne(
            { userId, clientId },
            {
              $addToSet: { scopes: { $each: scopes } },
              $set: { updatedAt: now },
              $setOnInsert: { createdAt: now },
            },
            { upsert: true },
          ),
        );
      try {
        await upsert();
      } catch (error) {
        // two first consents at the same moment: the unique index lets one insert, the other now finds it
        if (!isDuplicateKey(error)) throw error;
        await upsert();
      }
    },
    async forget(of) {
      const result = await storage.run(() => collection().deleteMany({ ...of }));
      return result.deletedCount;
    },
    countUsers: (clientIds, limit) => {
      const pipelineOf = (clientId: string) => [
        { $match: { clientId } },
        { $limit: limit },
        { $group: { _id: '$clientId', users: { $sum: 1 } } },
      ];
      return storage.run(() =>
        collection()
          .aggregate<{ _id: string; users: number }>(eachOf(model.collection.name, clientIds, pipelineOf))
          .toArray(),
      );
    },
  };
}
