import { hkdfSync } from 'node:crypto';

import { loadJose } from './jose.js';

/** The inputs of the key that seals a text. */
export interface SealKey {
  /** At least 256 bits that cannot be guessed; never stored beside the sealed text. */
  readonly secret: string;
  /** The owner of the text: a text sealed for one owner cannot be opened as another's. */
  readonly owner: string;
  /** The purpose of the key: two purposes have two keys. */
  readonly purpose: string;
}

/** Encrypts a text for storage, as a compact JWE (RFC 7516; `dir`, A256GCM) under a key from the secret (RFC 5869). */
export async function seal(text: string, key: SealKey): Promise<string> {
  const { CompactEncrypt } = await loadJose();
  return new CompactEncrypt(new TextEncoder().encode(text))
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
    .encrypt(deriveKey(key));
}

/** @throws jose's errors if the text was sealed under another key, or has changed */
export async function unseal(sealed: string, key: SealKey): Promise<string> {
  const { compactDecrypt } = await loadJose();
  const { plaintext } = await compactDecrypt(sealed, deriveKey(key), {
    keyManagementAlgorithms: ['dir'],
    contentEncryptionAlgorithms: ['A256GCM'],
  });
  return new TextDecoder().decode(plaintext);
}

function deriveKey({ secret, owner, purpose }: SealKey): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, owner, `express-authorization-server ${purpose}`, 32));
}

export type SealedSecrets = NonNullable<ReturnType<typeof createSealedSecrets>>;

/**
 * Client secrets that the server can read again for `client_secret_jwt`: encrypted under a key that the site stores
 * elsewhere.
 *
 * @param keys the first key encrypts, all keys decrypt: put a new key in front, and keep the old one for a while
 */
export function createSealedSecrets([newest, ...older]: readonly string[]) {
  if (newest === undefined) return undefined;
  const keyOf = (clientId: string, secret: string) => ({ secret, owner: clientId, purpose: 'client secret' });
  return {
    keep: (clientId: string, secret: string) => seal(secret, keyOf(clientId, newest)),
    /** @throws Error if none of the site's keys opens the secret */
    async open(clientId: string, sealed: string): Promise<string> {
      let failure: unknown;
      for (const key of [newest, ...older]) {
        try {
          return await unseal(sealed, keyOf(clientId, key));
        } catch (error) {
          failure = error;
        }
      }
      throw new Error('no clientAuthentication.secretKey opens the stored secret', { cause: failure });
    },
  };
}
