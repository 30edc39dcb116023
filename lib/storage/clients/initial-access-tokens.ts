import type {
  InitialAccessToken,
  InitialAccessTokenStore,
} from '../../core/clients/initial-access-token-store.js';
import type { PresentedToken } from '../../shared/crypto/secrets.js';
import { Collection } from '../connection/collection.js';
import type { Database } from '../connection/database.js';
import { defineCollection, requiredType } from '../connection/model.js';

/** An initial access token, as stored. */
export type StoredInitialAccessToken = Omit<InitialAccessToken, 'id'> & { readonly _id: string };

export const INITIAL_ACCESS_TOKENS = defineCollection<StoredInitialAccessToken>({
  model: 'AuthorizationServerInitialAccessToken',
  name: 'oauth_initial_access_tokens',
  fields: () => ({
    hash: requiredType(String),
    uses: requiredType(Number),
    createdAt: requiredType(Date),
  }),
  ttl: 'expiresAt',
});

export function createInitialAccessTokenStore(database: Database): InitialAccessTokenStore {
  const tokens = new Collection(database, INITIAL_ACCESS_TOKENS);
  const usable = ({ grantId, hash }: PresentedToken, now: Date) => ({
    _id: grantId,
    hash,
    uses: { $gt: 0 },
    expiresAt: { $gt: now },
  });

  return {
    async insert({ id, ...token }) {
      await tokens.insert({ _id: id, ...token });
    },
    isUsable: async (token, now) => (await tokens.findOne(usable(token, now), { _id: 1 })) !== null,
    use: (token, now) => tokens.updateOne(usable(token, now), { $inc: { uses: -1 } }),
    delete: ({ grantId, hash }) => tokens.deleteOne({ _id: grantId, hash }),
  };
}
