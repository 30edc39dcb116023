import { hkdfSync } from 'node:crypto';

import { loadJose } from './jose.js';

/** What the key that seals a text is derived from. */
export interface SealKey {
  /** At least 256 bits that cannot be guessed; never stored beside what is sealed. */
  readonly secret: string;
  /** Whose text it is: what is sealed for one owner cannot be opened as another's. */
  readonly owner: string;
  /** What the key is for: two purposes have two keys. */
  readonly purpose: string;
}

/** Encrypts a text for storage, as a compact JWE (RFC 7516; `dir`, A256GCM) under a key from the secret (RFC 5869). */
export async function seal(text: string, key: SealKey): Promise<string> {
  const { CompactEncrypt } = await loadJose();
  return new CompactEncrypt(new TextEncoder().encode(text))
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
    .encrypt(deriveKey(key));
}

/** @throws jose's errors if it was not sealed under this key, or has changed since */
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
 * Client secrets that can be read again, which `client_secret_jwt` needs: encrypted under a key that the site
 * keeps elsewhere.
 *
 * @param keys the first one encrypts, all of them decrypt: put a new key in front, and keep the old one for a while
 */
export function createSealedSecrets([newest, ...older]: readonly string[]) {
  if (newest === undefined) return undefined;
  const keyOf = (clientId: string, secret: string) => ({ secret, owner: clientId, purpose: 'client secret' });
  return {
    keep: (clientId: string, secret: string) => seal(secret, keyOf(clientId, newest)),
    /** @throws Error if none of the site's keys opens it */
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
