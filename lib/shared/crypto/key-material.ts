import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';

import type { JWK } from 'jose';

import { unexpectedCondition } from '../errors.js';
import { loadJose } from './jose.js';
import { seal, unseal } from './seal.js';

/** The algorithms of token signatures: all asymmetric, so that a public key is never a secret. */
export const SIGNING_ALGORITHMS = ['ES256', 'EdDSA', 'RS256', 'PS256'] as const;
export type SigningAlgorithm = (typeof SIGNING_ALGORITHMS)[number];

/** The algorithms by which others encrypt to this server; an `ECDH-ES` key is also for forms with a wrapped key. */
export const ENCRYPTION_KEY_ALGORITHMS = ['ECDH-ES', 'RSA-OAEP-256'] as const;
export type EncryptionKeyAlgorithm = (typeof ENCRYPTION_KEY_ALGORITHMS)[number];

/** The algorithm of a stored key. */
export type KeyAlgorithm = SigningAlgorithm | EncryptionKeyAlgorithm;

/** A private JWK (RFC 7517) from the options. */
export type PrivateJwk = Readonly<Record<string, unknown>>;

/** A key pair in memory. */
export interface KeyPair {
  readonly kid: string;
  readonly algorithm: KeyAlgorithm;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  /** The published public key: RFC 7517 §4, without private members. */
  readonly publicJwk: JWK;
}

/** RFC 7518 §3.3, §3.5: a key of size 2048 bits or larger MUST be used. */
const RSA_BITS = 2048;

/** A new private key as a JWK. */
export async function generatePrivateJwk(algorithm: KeyAlgorithm): Promise<JWK> {
  const { generateKeyPair, exportJWK } = await loadJose();
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true, modulusLength: RSA_BITS });
  return exportJWK(privateKey);
}

/** The pair of a private JWK with this algorithm, and its `kid`, or its RFC 7638 thumbprint if it has none. */
export async function openKeyPair(jwk: PrivateJwk, algorithm: KeyAlgorithm): Promise<KeyPair> {
  const privateKey = createPrivateKey({ key: jwk, format: 'jwk' });
  const publicKey = createPublicKey(privateKey);
  const publicMembers = publicKey.export({ format: 'jwk' }) as JWK;
  const kid =
    typeof jwk.kid === 'string' ? jwk.kid : await (await loadJose()).calculateJwkThumbprint(publicMembers);
  return {
    kid,
    algorithm,
    privateKey,
    publicKey,
    publicJwk: {
      ...publicMembers,
      kid,
      // RFC 7517 §4.4: `alg` would name only one of the forms of ECDH-ES
      ...(algorithm !== 'ECDH-ES' && { alg: algorithm }),
      use: isForEncryption(algorithm) ? 'enc' : 'sig',
    },
  };
}

/** Whether others encrypt to the key, which then never signs. */
export function isForEncryption(algorithm: KeyAlgorithm): algorithm is EncryptionKeyAlgorithm {
  return (ENCRYPTION_KEY_ALGORITHMS as readonly string[]).includes(algorithm);
}

/** The type of a private key that determines its algorithms. @throws TypeError that names the problem */
function kindOfKey(jwk: PrivateJwk, section: string): string {
  const { asymmetricKeyType: type = '', asymmetricKeyDetails: details } = parsePrivateKey(jwk);
  if (type === 'rsa' && (details?.modulusLength ?? 0) < RSA_BITS)
    throw new TypeError(`an RSA key must have ${RSA_BITS} bits at least (RFC 7518 ${section})`);
  return type === 'ec' ? (details?.namedCurve ?? '') : type;
}

const FITTING: Readonly<Record<string, readonly SigningAlgorithm[]>> = {
  prime256v1: ['ES256'],
  ed25519: ['EdDSA'],
  rsa: ['RS256', 'PS256'],
};

/**
 * The signing algorithm of a private JWK from the options.
 *
 * @throws TypeError that names the problem
 */
export function algorithmOf(jwk: PrivateJwk): SigningAlgorithm {
  const [first, ...others] = FITTING[kindOfKey(jwk, '§3.3')] ?? [];
  if (first === undefined)
    throw new TypeError('must be a P-256 (ES256), Ed25519 (EdDSA) or RSA (RS256, PS256) key');
  if (jwk.alg === undefined) return first;
  const fitting = [first, ...others];
  const matching = fitting.find((algorithm) => algorithm === jwk.alg);
  if (matching === undefined) throw new TypeError(`its alg must be ${fitting.join(' or ')}`);
  return matching;
}

const ENCRYPTING: Readonly<Record<string, EncryptionKeyAlgorithm>> = {
  prime256v1: 'ECDH-ES',
  x25519: 'ECDH-ES',
  rsa: 'RSA-OAEP-256',
};

/** The encryption algorithm of a private JWK from the options. @throws TypeError that names the problem */
export function encryptionAlgorithmOf(jwk: PrivateJwk): EncryptionKeyAlgorithm {
  const fitting = ENCRYPTING[kindOfKey(jwk, '§4.3')];
  if (fitting === undefined)
    throw new TypeError('must be a P-256 or X25519 (ECDH-ES) or an RSA key (RSA-OAEP-256)');
  const { alg = fitting, use = 'enc' } = jwk;
  if (use !== 'enc') throw new TypeError("its use must be 'enc'");
  if (alg !== fitting) throw new TypeError(`its alg must be ${fitting}`);
  return fitting;
}

function parsePrivateKey(jwk: PrivateJwk): KeyObject {
  try {
    return createPrivateKey({ key: jwk, format: 'jwk' });
  } catch {
    throw new TypeError('must be a private JWK (RFC 7517), with its member d');
  }
}

/** Whether a stored key is encrypted. */
export function isSealed(stored: string): boolean {
  return !stored.startsWith('{');
}

/**
 * Protects private keys from readers of the database: with a secret, keys are stored encrypted under it; without one,
 * as JSON, for development on loopback.
 */
export function createKeyVault(secret: string | undefined) {
  const key = secret === undefined ? undefined : { secret, owner: '', purpose: 'signing keys' };
  return {
    async seal(jwk: JWK): Promise<string> {
      const text = JSON.stringify(jwk);
      return key === undefined ? text : seal(text, key);
    },
    /** @throws OAuthError server_error if the key was sealed with another secret */
    async unseal(stored: string): Promise<PrivateJwk> {
      if (!isSealed(stored)) return JSON.parse(stored) as PrivateJwk;
      if (key === undefined)
        throw unexpectedCondition('a signing key is stored encrypted: write signingKeys.encryptionSecret');
      try {
        return JSON.parse(await unseal(stored, key)) as PrivateJwk;
      } catch (cause) {
        throw unexpectedCondition(
          'a signing key cannot be decrypted: is signingKeys.encryptionSecret the one it was stored with?',
          cause,
        );
      }
    },
  };
}
