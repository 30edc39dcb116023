import {
  algorithmOf,
  ENCRYPTION_KEY_ALGORITHMS,
  encryptionAlgorithmOf,
  type EncryptionKeyAlgorithm,
  type PrivateJwk,
  SIGNING_ALGORITHMS,
  type SigningAlgorithm,
} from '../../shared/crypto/key-material.js';
import { isLoopbackHost } from '../../shared/protocol/redirect-uri.js';
import * as z from '../../shared/schema.js';
import { defaultsOf, objectOf, option, type OptionsOf, type SettingsOf } from '../table/option.js';
import type { KeyNeeds, OptionContext } from '../table/option-context.js';
import { serverOptionError } from '../table/parse-options.js';
import { secretText } from '../table/secret.js';
import { listOf, oneOf, recordOf, seconds } from '../table/shapes.js';

export const privateJwk = () =>
  recordOf(z.unknown(), 'a private JWK') as unknown as z.Schema<PrivateJwk, PrivateJwk>;

export const signingKeyOptions = {
  /**
   * The algorithm of keys made here: `ES256`, `EdDSA`, `RS256` or `PS256`. A change takes effect at the next rotation.
   * Default: `ES256`.
   */
  algorithm: option({ shape: () => oneOf(SIGNING_ALGORITHMS), default: 'ES256' }),
  /**
   * Your own private JWKs, instead of keys in MongoDB. All are published, and the first signs. To rotate, add the new
   * one at the end, later put it first, and remove the old one after its last token. Default: none.
   */
  keys: option({
    shape: () => listOf(privateJwk(), 'a list of at least one private JWK', { isNeeded: true }),
    secret: true,
  }),
  /**
   * At least 32 random characters that encrypt the private keys in MongoDB, the same in every process. Needed for JWTs
   * unless `keys` are given or the issuer is on loopback. Default: none.
   */
  encryptionSecret: option({
    shape: () => secretText('a text of at least 32 characters; `openssl rand -base64 32` prints one'),
    secret: true,
  }),
  /** Seconds after which the next key signs. Default: never, only after `oauth.keys.rotate()`. */
  rotationInterval: option({ shape: () => seconds({ example: 2_592_000 }) }),
  /**
   * Seconds that a new key is published before it signs. Raise it for an API that caches keys for longer. Default:
   * `300`.
   */
  publishAhead: option({ shape: () => seconds({ example: 300 }), default: 300 }),
};

/** The keys that JWTs are signed with. */
export type SigningKeyOptions = OptionsOf<typeof signingKeyOptions>;

/** Signing keys. */
export const keyOptions = {
  /**
   * The keys that sign JWTs. Default: none. With an `encryptionSecret`, ES256 keys are made and kept in MongoDB,
   * encrypted.
   */
  signingKeys: option({
    shape: () => objectOf(signingKeyOptions, 'an object, such as { rotationInterval: 2592000 }'),
    default: defaultsOf(signingKeyOptions),
    members: signingKeyOptions,
    resolve: resolveSigningKeys,
  }),
};

/** The options with their defaults. */
export interface SigningKeySettings extends Omit<SettingsOf<typeof signingKeyOptions>, 'keys'> {
  /** The site's keys, each with its algorithm; undefined if this server generates them. */
  readonly keys: readonly { readonly jwk: PrivateJwk; readonly algorithm: SigningAlgorithm }[] | undefined;
  /** Algorithms of further keys, beside the default one. */
  readonly alsoAlgorithms: readonly SigningAlgorithm[];
  /**
   * Algorithms of generated encryption keys; empty if the site provides keys, or nothing is encrypted to this server.
   */
  readonly encryptionAlgorithms: readonly EncryptionKeyAlgorithm[];
  /** The site's encryption keys. */
  readonly encryptionKeys?:
    readonly { readonly jwk: PrivateJwk; readonly algorithm: EncryptionKeyAlgorithm }[] | undefined;
  /** Whether the server has keys. If not, it generates, reads and publishes none, and issues no JWT. */
  readonly hasKeys: boolean;
  /** Seconds that a process or a client of the published keys may cache them. */
  readonly cacheLife: number;
}

const MAX_CACHE_LIFE = 60;

/** @throws TypeError if options contradict each other, or private keys would be stored in clear */
function resolveSigningKeys(
  options: SettingsOf<typeof signingKeyOptions>,
  { issuer, keyNeeds: needs }: OptionContext,
): SigningKeySettings {
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
  if (keys !== undefined) checkDistinct(keys, 'signingKeys.keys');
  const parsed = keys && parseEach(keys, 'signingKeys.keys', algorithmOf);
  const missing = needs.alsoAlgorithms?.find((name) => parsed?.every((key) => key.algorithm !== name));
  if (missing !== undefined)
    throw wrong(
      'keys',
      `has none for ${missing}, by which ID tokens are signed (OpenID Connect Core §15.1); add one at the end`,
    );
  // a key from a copy of the database could sign for any user with any scope, so keys in clear are for development only
  if (needs.issuesJwts && keys === undefined && encryptionSecret === undefined) {
    if (!isLoopbackHost(issuer.hostname))
      throw needs.neededBy === undefined
        ? wrong('encryptionSecret', `is needed: ${IN_CLEAR}`)
        : serverOptionError(needs.neededBy, `needs signingKeys.encryptionSecret: ${IN_CLEAR}`);
    process.emitWarning(`authorizationServer: signingKeys.encryptionSecret is missing: ${IN_CLEAR}`, {
      code: 'EAS_KEYS_IN_CLEAR',
    });
  }
  return {
    algorithm,
    alsoAlgorithms: needs.alsoAlgorithms ?? [],
    ...resolveEncryption(needs.encryption, parsed),
    keys: parsed,
    hasKeys: needs.issuesJwts || keys !== undefined || encryptionSecret !== undefined,
    encryptionSecret,
    rotationInterval,
    publishAhead,
    // a process and a resource server each cache the keys: both caches together must end well within publishAhead
    cacheLife: Math.min(MAX_CACHE_LIFE, publishAhead / 5),
  };
}

function resolveEncryption(encryption: KeyNeeds['encryption'] = false, signing: SigningKeySettings['keys']) {
  if (encryption === false) return { encryptionAlgorithms: [] };
  const { keys } = encryption;
  if (keys !== undefined) {
    const encryptionKeys = parseEach(keys, ENCRYPTION_KEYS, encryptionAlgorithmOf);
    checkDistinct(
      [...(signing ?? []), ...encryptionKeys].map(({ jwk }) => jwk),
      ENCRYPTION_KEYS,
    );
    return { encryptionAlgorithms: [], encryptionKeys };
  }
  if (signing !== undefined)
    throw serverOptionError(
      'signedRequests.encryption',
      'no key is made here if signingKeys.keys are yours; write { keys: [a private JWK] }',
    );
  return { encryptionAlgorithms: ENCRYPTION_KEY_ALGORITHMS };
}

const ENCRYPTION_KEYS = 'signedRequests.encryption.keys';

const IN_CLEAR =
  'JWTs are signed, and whoever can read the database could sign them as well; write encryptionSecret (`openssl rand -base64 32` prints one), the same in every process, or keys of your own';

interface WithKeys {
  readonly signingKeys: SigningKeySettings;
}

/** The algorithms with which this server signs JWTs. */
export function signingAlgorithmsOf({ signingKeys }: WithKeys): readonly string[] {
  const { keys, algorithm, alsoAlgorithms } = signingKeys;
  return [...new Set(keys === undefined ? [algorithm, ...alsoAlgorithms] : keys.map((key) => key.algorithm))];
}

/** The algorithms of the keys to which requests are encrypted. */
export function encryptionAlgorithmsOf({ signingKeys }: WithKeys): readonly EncryptionKeyAlgorithm[] {
  const { encryptionAlgorithms, encryptionKeys = [] } = signingKeys;
  return [...new Set([...encryptionAlgorithms, ...encryptionKeys.map(({ algorithm }) => algorithm)])];
}

/** The default signing algorithm; with the site's keys that of the first. */
export function defaultAlgorithmOf({ signingKeys: { keys, algorithm } }: WithKeys): SigningAlgorithm {
  return keys?.[0]?.algorithm ?? algorithm;
}

function checkDistinct(keys: readonly PrivateJwk[], option: string): void {
  const kids = keys.map(({ kid }) => kid).filter((kid) => kid !== undefined);
  if (new Set(kids).size < kids.length) throw serverOptionError(option, 'two of them have the same kid');
}

function parseEach<Algorithm>(
  keys: readonly PrivateJwk[],
  option: string,
  algorithmFor: (jwk: PrivateJwk) => Algorithm,
) {
  return keys.map((jwk, index) => {
    try {
      return { jwk, algorithm: algorithmFor(jwk) };
    } catch (error) {
      throw serverOptionError(`${option}.${index}`, (error as Error).message);
    }
  });
}

function wrong(member: string, text: string): TypeError {
  return serverOptionError(`signingKeys.${member}`, text);
}
