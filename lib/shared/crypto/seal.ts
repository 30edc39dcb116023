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
