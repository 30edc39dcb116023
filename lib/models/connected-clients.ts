import type { CollectionOf } from './collection.js';
import type { Storage } from './storage.js';

/** A client that has access to a user's account now: what its live grants come to. */
export interface ConnectedClient {
  /** The client's id. */
  readonly _id: string;
  readonly since: Date;
  /** When it was last given tokens. */
  readonly renewedAt: Date;
  /** Of each grant. */
  readonly scopes: readonly (readonly string[])[];
  readonly grantTypes: readonly string[];
}

/** What a user's grants say of the clients behind them; a part of `Grants`. */
export interface ConnectedClients {
  /** The clients whose tokens work for this user, those that were used last first, at most `limit`. */
  listConnectedClients(userId: string, now: Date, limit: number): Promise<ConnectedClient[]>;
}

export function createConnectedClients(collection: CollectionOf, storage: Storage): ConnectedClients {
  return {
    // grouped there: a client can have thousands of grants, and only what they come to is sent
    listConnectedClients: (userId, now, limit) =>
      storage.run(() =>
        collection()
          .aggregate<ConnectedClient>([
            {
              $match: {
                userId,
                expiresAt: { $gt: now },
                revokedAt: { $exists: false },
                $or: [{ 'accessTokens.0': { $exists: true } }, { refreshToken: { $exists: true } }],
              },
            },
            {
              $group: {
                _id: '$clientId',
                since: { $min: '$createdAt' },
                renewedAt: { $max: { $ifNull: ['$renewedAt', '$createdAt'] } },
                scopes: { $addToSet: '$scopes' },
                grantTypes: { $addToSet: '$grantType' },
              },
            },
            { $sort: { renewedAt: -1 } },
            { $limit: limit },
          ])
          .toArray(),
      ),
  };
}
