import {
  hashSecret,
  isOfOurKind,
  parseRefreshToken,
  type PresentedRefreshToken,
  type PresentedToken,
} from '../crypto/secrets.js';

export type MigratedTokenKind = 'access_token' | 'refresh_token';

/** Where it is kept which grant a token of another server was taken over into. */
export interface MigratedTokenStore {
  /** The id of its grant, or null. */
  findGrantId(kind: MigratedTokenKind, hash: string): Promise<string | null>;
}

/**
 * Reads tokens that another server has made and the command `migrate` has taken over: they do not say which grant they
 * are of. Null if it is none.
 */
export type ReadMigratedToken = (kind: MigratedTokenKind, value: string) => Promise<PresentedToken | null>;

/** No header is longer; nobody is to have more than that hashed and looked up. */
const MAX_LENGTH = 16_384;

/** @param store undefined if the option `migratedTokens` is off: then nobody is asked */
export function createMigratedTokens(store: MigratedTokenStore | undefined): ReadMigratedToken {
  return async (kind, value) => {
    if (store === undefined || isOfOurKind(value) || value.length > MAX_LENGTH) return null;
    const hash = hashSecret(value);
    const grantId = await store.findGrantId(kind, hash);
    return grantId === null ? null : { grantId, hash };
  };
}

/** Where to look for a refresh token, of ours or taken over, and for which hash; null if it cannot be one. */
export type ReadRefreshToken = (value: string) => Promise<PresentedRefreshToken | null>;

export function createRefreshTokenReader(readMigrated: ReadMigratedToken): ReadRefreshToken {
  return async (value) => parseRefreshToken(value) ?? readMigrated('refresh_token', value);
}
