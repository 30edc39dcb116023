import {
  hashSecret,
  hasOwnTokenPrefix,
  type PresentedRefreshToken,
  type PresentedToken,
} from '../../../shared/crypto/secrets.js';

export type MigratedTokenKind = 'access_token' | 'refresh_token';

/** Maps a migrated token of another server to its grant. */
export interface MigratedTokenStore {
  findGrantId(kind: MigratedTokenKind, hash: string): Promise<string | null>;
}

/**
 * Finds a token that another server has made and the command `migrate` has taken over: the value does not name its
 * grant. Null if there is no such token.
 */
export type ReadMigratedToken = (kind: MigratedTokenKind, value: string) => Promise<PresentedToken | null>;

/** No header is longer; a longer value is neither hashed nor looked up. */
const MAX_LENGTH = 16_384;

/** @param store undefined if the option `tokens.migrated` is off: nothing is looked up */
export function createMigratedTokens(store: MigratedTokenStore | undefined): ReadMigratedToken {
  return async (kind, value) => {
    if (store === undefined || hasOwnTokenPrefix(value) || value.length > MAX_LENGTH) return null;
    const hash = hashSecret(value);
    const grantId = await store.findGrantId(kind, hash);
    return grantId === null ? null : { grantId, hash };
  };
}

/** Finds the grant and the hash of a refresh token, made here or migrated; null if the value cannot be one. */
export type ReadRefreshToken = (value: string) => Promise<PresentedRefreshToken | null>;
