import type { SigningKeySettings } from '../../settings/options/signing-key-options.js';
import {
  isForEncryption,
  type KeyAlgorithm,
  openKeyPair,
  type PrivateJwk,
} from '../../shared/crypto/key-material.js';
import { withoutUndefined } from '../../shared/without-undefined.js';
import type { SigningKeyStore } from './signing-key-store.js';
import { activeKeyOf, createSigningKeys, type KeySource, type SigningKey } from './signing-keys.js';
import { createStoredKeys, revokeKey } from './stored-keys.js';

/** The public description of a key. */
export interface SigningKeyInfo {
  readonly kid: string;
  readonly algorithm: KeyAlgorithm;
  /**
   * `upcoming`: published, not yet signing. `retired`: published until its last token has expired. An encryption key is
   * `encrypting` while it is published, `upcoming` before that, and `retired` after that, while it still decrypts.
   */
  readonly status: 'upcoming' | 'signing' | 'encrypting' | 'retired';
  /** Absent for keys from the options. */
  readonly createdAt?: Date;
  readonly activatesAt?: Date;
  /** When the key is removed. */
  readonly expiresAt?: Date;
}

/** For code: the keys that sign JWTs, and those to which requests are encrypted. */
export interface KeyRegistry {
  /** The keys in use, the newest first; then the additional keys for openid and encrypted requests. */
  list(): Promise<SigningKeyInfo[]>;
  /**
   * Makes a new key, which is published at once and signs after `signingKeys.publishAhead`, in every process. If a key
   * is already waiting, nothing changes. Resolves to the next key.
   *
   * @throws TypeError if the keys come from the options, or there are none
   */
  rotate(): Promise<SigningKeyInfo>;
  /**
   * Removes a key, for example a leaked one: it is no longer published, another key signs, and JWTs that it signed are
   * refused. Other processes learn this at once by a change stream; without change streams, or if one breaks, they use
   * the keys that they have read for a minute at most. `bearerGuard` accepts the key for ten minutes at most.
   *
   * @returns false if there is no such key
   * @throws TypeError if the keys come from the options
   */
  revoke(kid: string): Promise<boolean>;
}

/**
 * The keys for signing and verifying, and their registry for the site.
 *
 * @param longestToken the longest lifetime of a JWT in seconds
 */
export function createKeys(
  settings: SigningKeySettings,
  store: SigningKeyStore,
  longestToken: () => Promise<number>,
) {
  const { keys, encryptionKeys = [], hasKeys, cacheLife } = settings;
  const alsoAlgorithms = [...settings.alsoAlgorithms, ...settings.encryptionAlgorithms];
  const stored = createStoredKeys({ ...settings, alsoAlgorithms, store, longestToken });
  const isStored = keys === undefined && hasKeys;
  const source = isStored ? stored : keys === undefined ? NO_KEYS : givenKeys(keys);
  const encryption = givenKeys(encryptionKeys);
  const load = async () => (await Promise.all([source.load(), encryption.load()])).flat();
  const signingKeys = createSigningKeys({ watch: source.watch, load }, cacheLife);

  const list = async (): Promise<SigningKeyInfo[]> => describeKeys(await signingKeys.list(), new Date());
  const keyRegistry: KeyRegistry = {
    list,
    async rotate() {
      if (keys !== undefined)
        throw new TypeError('keys.rotate: the keys come from the option signingKeys.keys; change them there');
      if (!hasKeys)
        throw new TypeError('keys.rotate: no JWT is issued here; write signingKeys.encryptionSecret first');
      await stored.rotate();
      const [newest] = await list();
      if (newest === undefined) throw new Error('keys.rotate: no key was stored');
      return newest;
    },
    async revoke(kid) {
      if (keys !== undefined)
        throw new TypeError('keys.revoke: the keys come from the option signingKeys.keys; take it out there');
      const isRevoked = await revokeKey(store, kid);
      // read again: from here on this process signs with another key
      await signingKeys.list();
      return isRevoked;
    },
  };
  return {
    signingKeys,
    keyRegistry,
    /** For the start. @throws TypeError if the stored keys cannot be decrypted */
    async checkStoredKeys() {
      if (isStored) await stored.checkReadable();
    },
  };
}

/** The keys of a server that issues no JWT: no key is made, and no stored key is published. */
const NO_KEYS: KeySource = { load: () => Promise.resolve([]) };

function givenKeys(
  keys: readonly { readonly jwk: PrivateJwk; readonly algorithm: KeyAlgorithm }[],
): KeySource {
  const pairs = Promise.all(
    keys.map(async ({ jwk, algorithm }): Promise<SigningKey> => ({
      ...(await openKeyPair(jwk, algorithm)),
      activatesAt: new Date(0),
      line: isForEncryption(algorithm) ? algorithm : undefined,
    })),
  );
  return { load: () => pairs };
}

/** Describes the keys: those of the default series, then the others by algorithm, the newest first. */
export function describeKeys(published: readonly DescribedKey[], now: Date): SigningKeyInfo[] {
  const isDefault = ({ line }: DescribedKey) => line === undefined;
  const beside = published
    .filter((key) => !isDefault(key))
    .sort(({ line: a = '' }, { line: b = '' }) => Number(a > b) - Number(a < b));
  return [...published.filter(isDefault), ...beside].map((key) => {
    const line = published.filter((other) => other.line === key.line);
    const place = line.indexOf(key) - line.indexOf(activeKeyOf(line, now));
    const { kid, algorithm, createdAt, activatesAt, expiresAt } = key;
    const inUse = isForEncryption(algorithm) ? 'encrypting' : 'signing';
    const status = place === 0 ? inUse : place < 0 ? 'upcoming' : 'retired';
    // keys from the options have no dates
    const dates = withoutUndefined({ createdAt, activatesAt: createdAt && activatesAt, expiresAt });
    return { kid, algorithm, status, ...dates };
  });
}

type DescribedKey = Pick<
  SigningKey,
  'kid' | 'algorithm' | 'line' | 'createdAt' | 'activatesAt' | 'expiresAt'
>;
