import { type EncryptionKeyAlgorithm, isForEncryption, type KeyAlgorithm } from './key-material.js';

/**
 * The algorithms that encrypt JWTs to another party's public key (RFC 7518 §4.1). RSA1_5 is open to padding oracles
 * (RFC 8725 §3.2), and algorithms with a shared secret need one in clear, which is not stored here.
 */
export const KEY_ENCRYPTION_ALGORITHMS: readonly string[] =
  'ECDH-ES ECDH-ES+A128KW ECDH-ES+A256KW RSA-OAEP RSA-OAEP-256'.split(' ');

/** The algorithms by which clients encrypt to this server: not RSA-OAEP, whose SHA-1 no new client needs. */
const ALGORITHMS_OF_KEYS: Readonly<Record<EncryptionKeyAlgorithm, readonly string[]>> = {
  'ECDH-ES': ['ECDH-ES', 'ECDH-ES+A128KW', 'ECDH-ES+A256KW'],
  'RSA-OAEP-256': ['RSA-OAEP-256'],
};

/** The algorithms that can encrypt to keys of these types. */
export function algorithmsTo(keys: readonly EncryptionKeyAlgorithm[]): readonly string[] {
  return keys.flatMap((algorithm) => ALGORITHMS_OF_KEYS[algorithm]);
}

/** Whether a key decrypts this `alg`. */
export function isKeyFor(algorithm: KeyAlgorithm, alg: string): boolean {
  return isForEncryption(algorithm) && ALGORITHMS_OF_KEYS[algorithm].includes(alg);
}

/** The algorithms of content encryption (RFC 7518 §5.1). */
export const CONTENT_ENCRYPTION_ALGORITHMS: readonly string[] =
  'A128CBC-HS256 A256CBC-HS512 A128GCM A256GCM'.split(' ');

/** The default content encryption (JARM §3, OpenID Connect Registration §2). */
export const DEFAULT_CONTENT_ENCRYPTION = 'A128CBC-HS256';

/** RFC 7517 §4.3 */
const ENCRYPTING: readonly unknown[] = ['encrypt', 'wrapKey', 'deriveKey', 'deriveBits'];
const CURVES: readonly unknown[] = ['P-256', 'P-384', 'P-521', 'X25519'];

/** Whether an algorithm may encrypt to a public JWK (RFC 7517 §4.1 to §4.4, RFC 7518 §4). */
export function fitsEncryption(jwk: Readonly<Record<string, unknown>>, algorithm: string): boolean {
  const { kty, crv, use = 'enc', alg = algorithm, key_ops: operations } = jwk;
  if (use !== 'enc' || alg !== algorithm) return false;
  if (Array.isArray(operations) && !operations.some((each) => ENCRYPTING.includes(each))) return false;
  if (algorithm.startsWith('RSA-')) return kty === 'RSA';
  return (kty === 'EC' || kty === 'OKP') && CURVES.includes(crv);
}

/** The algorithms of clients' signatures: no HMAC, so that no public key is used as a secret, and no `none`. */
export const SIGNATURE_ALGORITHMS: readonly string[] =
  'ES256 ES384 ES512 EdDSA Ed25519 PS256 PS384 PS512 RS256 RS384 RS512'.split(' ');
