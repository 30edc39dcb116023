import { z } from 'zod';

import {
  algorithmOf,
  type PrivateJwk,
  SIGNING_ALGORITHMS,
  type SigningAlgorithm,
} from '../crypto/key-material.js';
import { defaultsOf, objectOf, option, type OptionsOf, type SettingsOf } from './option.js';
import { mistake } from './parse-options.js';
import { listOf, oneOf, recordOf, seconds, textLike } from './shapes.js';

export const signingKeyOptions = {
  /**
   * Of the keys made here: `ES256`, `EdDSA`, `RS256` or `PS256`. A change takes effect with the next
   * rotation. Default: `ES256`.
   */
  algorithm: option({ shape: () => oneOf(SIGNING_ALGORITHMS), default: 'ES256' }),
  /**
   * Private JWKs of the host instead of keys made here and kept in MongoDB. All are published, the first one signs: to
   * rotate, add the new one at the end, put it first later, and take the old one out when its last token has expired.
   * Default: none.
   */
  keys: option({
    shape: () =>
      listOf(
        recordOf(z.unknown(), 'a private JWK') as unknown as z.ZodType<PrivateJwk, PrivateJwk>,
        'a list of at least one private JWK',
        { isNeeded: true },
      ),
  }),
  /**
   * At least 32 characters; with it, the private keys in MongoDB are encrypted. The same in every process.
   * Default: none.
   */
  encryptionSecret: option({
    shape: () =>
      textLike(/^.{32,}$/s, 'a text of at least 32 characters; `openssl rand -base64 32` prints one'),
  }),
  /**
   * Seconds after which a new key takes over, in all processes together. Default: never, only by
   * `oauth.keys.rotate()`.
   */
  rotationInterval: option({ shape: () => seconds({ example: 2_592_000 }) }),
  /**
   * Seconds that a new key is published before it signs: longer than anybody's cache of the keys. A process reads them
   * anew at least every 60 seconds (a fifth of this, if shorter). Default: `300`.
   */
  publishAhead: option({ shape: () => seconds({ example: 300 }), default: 300 }),
};

/** The keys that JWTs are signed with. */
export type SigningKeyOptions = OptionsOf<typeof signingKeyOptions>;

/** Signing keys. */
export const keyOptions = {
  /** The keys that JWTs are signed with. Default: ES256 keys, made on first need and kept in MongoDB. */
  signingKeys: option({
    shape: () => objectOf(signingKeyOptions, 'an object, such as { rotationInterval: 2592000 }'),
    default: defaultsOf(signingKeyOptions),
  }),
};

/** The options with their defaults. */
export interface SigningKeySettings extends Omit<SettingsOf<typeof signingKeyOptions>, 'keys'> {
  /** Those of the host, each with its algorithm; undefined: they are made here. */
  readonly keys: readonly { readonly jwk: PrivateJwk; readonly algorithm: SigningAlgorithm }[] | undefined;
  /** Seconds that a process, and whoever fetches the published keys, may work with what it has read. */
  readonly cacheLife: number;
}

const MAX_CACHE_LIFE = 60;

/** @throws TypeError where the options do not go together */
export function resolveSigningKeys(options: SettingsOf<typeof signingKeyOptions>): SigningKeySettings {
  const { algorithm, keys, encryptionSecret, rotationInterval, publishAhead } = options;
  if (keys !== undefined && (encryptionSecret !== undefined || rotationInterval !== undefined)) {
    throw wrong(
      'keys',
      'are kept and rotated by you; leave encryptionSecret and rotationInterval out, or leave keys out',
    );
  }
  if (rotationInterval !== undefined && rotationInterval <= publishAhead) {
    throw wrong('rotationInterval', `must be longer than publishAhead (${publishAhead} seconds)`);
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
  if (new Set(kids).size < kids.length) throw wrong('keys', 'two of them have the same kid');
  return keys.map((jwk, index) => {
    try {
      return { jwk, algorithm: algorithmOf(jwk) };
    } catch (error) {
      throw wrong(`keys.${index}`, (error as Error).message);
    }
  });
}

function wrong(member: string, text: string): TypeError {
  return mistake('authorizationServer', `signingKeys.${member}`, text);
}
