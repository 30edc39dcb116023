import type { KeyObject } from 'node:crypto';

import { isKeyFor } from '../../shared/crypto/jwa.js';
import type { SigningKeys } from './signing-keys.js';

/** Finds the private key for something that was encrypted to it; undefined if this site has none. */
export type FindDecryptionKey = (kid: string, alg: string) => Promise<KeyObject | undefined>;

/** Milliseconds between two reads because of unknown key ids: anybody can name one. */
const REST = 5_000;

/**
 * For a key that another process has just published, it looks in the database, but only once in a while. The key itself
 * says what it is for (RFC 8725 §3.1); one that signs decrypts nothing.
 */
export function createDecryptionKeys(signingKeys: SigningKeys): FindDecryptionKey {
  let readAt = -Infinity;
  const among = (keys: Awaited<ReturnType<SigningKeys['current']>>, kid: string, alg: string) =>
    keys.find((key) => key.kid === kid && isKeyFor(key.algorithm, alg))?.privateKey;

  return async (kid, alg) => {
    const known = among(await signingKeys.current(), kid, alg);
    const now = performance.now();
    if (known !== undefined || now - readAt < REST) return known;
    readAt = now;
    return among(await signingKeys.list(), kid, alg);
  };
}
