import {
  hashSecret,
  hasOwnTokenPrefix,
  type PresentedRefreshToken,
  type PresentedToken,
} from '../../../shared/crypto/secrets.js';

export type MigratedTokenKind = 'access_token' | 'refresh_token';

/** Stores which grant a token of another server was taken over into. */
export interface MigratedTokenStore {
  findGrantId(kind: MigratedTokenKind, hash: string): Promise<string | null>;
}

/**
 * Reads a token that another server has made and the command `migrate` has taken over: it does not say which grant it
 * belongs to. Null if it is not such a token.
 */
export type ReadMigratedToken = (kind: MigratedTokenKind, value: string) => Promise<PresentedToken | null>;

/** No header is longer, and nothing longer is hashed and looked up. */
const MAX_LENGTH = 16_384;

/** @param store undefined if the option `tokens.migrated` is off: then nothing is looked up */
export function createMigratedTokens(store: MigratedTokenStore | undefined): ReadMigratedToken {
  return async (kind, value) => {
    if (store === undefined || hasOwnTokenPrefix(value) || value.length > MAX_LENGTH) return null;
    const hash = hashSecret(value);
    const grantId = await store.findGrantId(kind, hash);
    return grantId === null ? null : { grantId, hash };
  };
}

/** Where to look for a refresh token, ours or one taken over, and for which hash; null if it cannot be one. */
export type ReadRefreshToken = (value: string) => Promise<PresentedRefreshToken | null>;
