import type { PresentedToken } from '../../shared/crypto/secrets.js';
import { Collection } from '../connection/collection.js';
import type { Database } from '../connection/database.js';
import { defineCollection, requiredType } from '../connection/model.js';

/** The stored token that lets its holder register clients: only its hash (RFC 7591 §1.2). */
export interface StoredInitialAccessToken {
  readonly _id: string;
  readonly hash: string;
  readonly uses: number;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

export const INITIAL_ACCESS_TOKENS = defineCollection<StoredInitialAccessToken>({
  model: 'AuthorizationServerInitialAccessToken',
  name: 'oauth_initial_access_tokens',
  fields: () => ({ hash: requiredType(String), uses: requiredType(Number), createdAt: requiredType(Date) }),
  ttl: 'expiresAt',
});

/** The store of initial access tokens; each operation is one command. */
export function createInitialAccessTokenStore(database: Database) {
  const tokens = new Collection(database, INITIAL_ACCESS_TOKENS);
  const usable = ({ grantId, hash }: PresentedToken, now: Date) => ({
    _id: grantId,
    hash,
    uses: { $gt: 0 },
    expiresAt: { $gt: now },
  });

  return {
    insert: (token: StoredInitialAccessToken) => tokens.insert(token),
    isUsable: async (token: PresentedToken, now: Date) =>
      (await tokens.findOne(usable(token, now), { _id: 1 })) !== null,
    /** Takes one use; false if none was left, however many requests come at once. */
    use: (token: PresentedToken, now: Date) => tokens.updateOne(usable(token, now), { $inc: { uses: -1 } }),
    delete: ({ grantId, hash }: PresentedToken) => tokens.deleteOne({ _id: grantId, hash }),
  };
}
