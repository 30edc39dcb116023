import { z } from 'zod';

import {
  algorithmOf,
  type PrivateJwk,
  SIGNING_ALGORITHMS,
  type SigningAlgorithm,
} from '../crypto/key-material.js';

/** The keys that JWTs are signed with. */
export interface SigningKeyOptions {
  /** Of the keys made here: `ES256` (default), `EdDSA`, `RS256` or `PS256`. A change takes effect with the next rotation. */
  readonly algorithm?: SigningAlgorithm;
  /**
   * Private JWKs of the host instead of keys made here and kept in MongoDB. All are published, the first one signs: to
   * rotate, add the new one at the end, put it first later, and take the old one out when its last token has expired.
   */
  readonly keys?: readonly PrivateJwk[];
  /** At least 32 characters; with it, the private keys in MongoDB are encrypted. The same in every process. */
  readonly encryptionSecret?: string;
  /** Seconds after which a new key takes over, in all processes together. Default: never, only by `oauth.keys.rotate()`. */
  readonly rotationInterval?: number;
  /** Seconds that a new key is published before it signs: longer than anybody's cache of the keys. Default: 300. */
  readonly publishAhead?: number;
}

/** The options with their defaults. */
export interface SigningKeySettings {
  readonly algorithm: SigningAlgorithm;
  /** Those of the host, each with its algorithm; undefined: they are made here. */
  readonly keys: readonly { readonly jwk: PrivateJwk; readonly algorithm: SigningAlgorithm }[] | undefined;
  readonly encryptionSecret: string | undefined;
  readonly rotationInterval: number | undefined;
  readonly publishAhead: number;
  /** Seconds that a process, and whoever fetches the published keys, may work with what it has read. */
  readonly cacheLife: number;
}

const MAX_CACHE_LIFE = 60;
const seconds = z
  .number('must be a number of seconds')
  .int('must be whole seconds')
  .positive('must be more than 0 seconds')
  .optional();

export const signingKeyShape = z
  .strictObject({
    algorithm: z.enum(SIGNING_ALGORITHMS, `must be one of ${SIGNING_ALGORITHMS.join(', ')}`).optional(),
    keys: z
      .array(z.record(z.string(), z.unknown(), 'must be a private JWK'))
      .min(1, 'must have at least one private JWK')
      .optional(),
    encryptionSecret: z.string().min(32, 'must have at least 32 characters').optional(),
    rotationInterval: seconds,
    publishAhead: seconds,
  })
  .optional();

/** @throws TypeError */
export function parseSigningKeyOptions(options: SigningKeyOptions = {}): SigningKeySettings {
  const { algorithm = 'ES256', keys, encryptionSecret, rotationInterval, publishAhead = 300 } = options;
  if (keys !== undefined && (encryptionSecret !== undefined || rotationInterval !== undefined)) {
    throw mistake(
      'keys',
      'are kept and rotated by you; leave encryptionSecret and rotationInterval out, or leave keys out',
    );
  }
  if (rotationInterval !== undefined && rotationInterval <= publishAhead) {
    throw mistake('rotationInterval', `must be longer than publishAhead (${publishAhead} seconds)`);
  }
  return {
    algorithm,
    keys: keys && parseKeys(keys),
    encryptionSecret,
    rotationInterval,
    publishAhead,
    // read by a process, then cached by a resource server: together well within publishAhead
    cacheLife: Math.min(MAX_CACHE_LIFE, publishAhead / 5),
  };
}

function parseKeys(keys: readonly PrivateJwk[]): SigningKeySettings['keys'] {
  const kids = keys.map(({ kid }) => kid).filter((kid) => kid !== undefined);
  if (new Set(kids).size < kids.length) throw mistake('keys', 'two of them have the same kid');
  return keys.map((jwk, index) => {
    try {
      return { jwk, algorithm: algorithmOf(jwk) };
    } catch (error) {
      throw mistake(`keys.${index}`, (error as Error).message);
    }
  });
}

function mistake(option: string, text: string): TypeError {
  return new TypeError(`authorizationServer: the option signingKeys.${option}: ${text}`);
}
