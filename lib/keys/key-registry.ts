import { isForEncryption, type KeyAlgorithm, openKeyPair, type PrivateJwk } from '../crypto/key-material.js';
import type { SigningKeySettings } from '../settings/signing-key-options.js';
import type { SigningKeyStore } from './signing-key-store.js';
import {
  activeKeyOf,
  createSigningKeys,
  type KeySource,
  type SigningKey,
  type SigningKeys,
} from './signing-keys.js';
import { createStoredKeys, revokeKey } from './stored-keys.js';

/** A key as the host sees it: nothing private. */
export interface SigningKeyInfo {
  readonly kid: string;
  readonly algorithm: KeyAlgorithm;
  /**
   * `upcoming`: published, not yet signing. `retired`: published until its last token has expired. One that requests
   * are encrypted to is `encrypting` while it is published; `upcoming`: before that; `retired`: after that, while it
   * still decrypts.
   */
  readonly status: 'upcoming' | 'signing' | 'encrypting' | 'retired';
  /** Absent for keys that the host gave. */
  readonly createdAt?: Date;
  readonly activatesAt?: Date;
  /** When it leaves. */
  readonly expiresAt?: Date;
}

/** The keys that JWTs are signed with, and those that requests are encrypted to, from code. */
export interface KeyRegistry {
  /** Those that are in use, the newest first; then those that openid and encrypted requests need beside them. */
  list(): Promise<SigningKeyInfo[]>;
  /**
   * Makes a new key, which is published at once and signs after `signingKeys.publishAhead`, in every process. Where one
   * is waiting already it changes nothing. Says which key comes next.
   *
   * @throws TypeError if the host gave the keys, or there are none
   */
  rotate(): Promise<SigningKeyInfo>;
  /**
   * Takes a key away at once, such as one that others may know: it is no longer published, and another one signs. The
   * other processes work with what they have read for a minute at most, `bearerGuard` for ten. JWTs that were signed
   * with it are refused then.
   *
   * @returns false if there is no such key
   * @throws TypeError if the host gave the keys
   */
  revoke(kid: string): Promise<boolean>;
}

export interface KeyRegistryOptions {
  readonly settings: SigningKeySettings;
  readonly store: SigningKeyStore;
  /** Seconds that a JWT can be valid at most. */
  readonly longestToken: () => Promise<number>;
}

/** The keys for those who sign and verify, and their registry for the host. */
export function createKeys({ settings, store, longestToken }: KeyRegistryOptions): {
  readonly signingKeys: SigningKeys;
  readonly registry: KeyRegistry;
} {
  const { keys, encryptionKeys = [], hasKeys, cacheLife } = settings;
  const alsoAlgorithms = [...settings.alsoAlgorithms, ...settings.encryptionAlgorithms];
  const stored = createStoredKeys({ ...settings, alsoAlgorithms, store, longestToken });
  const source = keys === undefined ? (hasKeys ? stored : NO_KEYS) : givenKeys(keys);
  const signingKeys = createSigningKeys(bothOf(source, givenKeys(encryptionKeys)), cacheLife);

  const list = async (): Promise<SigningKeyInfo[]> => describeKeys(await signingKeys.list(), new Date());
  const registry: KeyRegistry = {
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
      // read anew: this process signs by another from here on
      await signingKeys.list();
      return isRevoked;
    },
  };
  return { signingKeys, registry };
}

/** Of a server that issues no JWT: nothing is made, and nothing that is stored from before is published. */
const NO_KEYS: KeySource = { load: () => Promise.resolve([]) };

function givenKeys(keys: readonly GivenKey[]): KeySource {
  const pairs = Promise.all(
    keys.map(async ({ jwk, algorithm }): Promise<SigningKey> => ({
      ...(await openKeyPair(jwk, algorithm)),
      activatesAt: new Date(0),
      ...(isForEncryption(algorithm) && { line: algorithm }),
    })),
  );
  return { load: () => pairs };
}

interface GivenKey {
  readonly jwk: PrivateJwk;
  readonly algorithm: KeyAlgorithm;
}

function bothOf(first: KeySource, second: KeySource): KeySource {
  return { load: async () => (await Promise.all([first.load(), second.load()])).flat() };
}

/** What may be seen of the keys: the usual ones, then those beside them by what they are for, the newest first. */
export function describeKeys(published: readonly DescribedKey[], now: Date): SigningKeyInfo[] {
  const isUsual = ({ line }: DescribedKey) => line === undefined;
  const beside = published
    .filter((key) => !isUsual(key))
    .sort(({ line: a = '' }, { line: b = '' }) => Number(a > b) - Number(a < b));
  return [...published.filter(isUsual), ...beside].map((key) => {
    const line = published.filter((other) => other.line === key.line);
    return toInfo(key, line.indexOf(key) - line.indexOf(activeKeyOf(line, now)));
  });
}

type DescribedKey = Pick<
  SigningKey,
  'kid' | 'algorithm' | 'line' | 'createdAt' | 'activatesAt' | 'expiresAt'
>;

function toInfo(
  { kid, algorithm, createdAt, activatesAt, expiresAt }: DescribedKey,
  place: number,
): SigningKeyInfo {
  const inUse = isForEncryption(algorithm) ? 'encrypting' : 'signing';
  const status = place === 0 ? inUse : place < 0 ? 'upcoming' : 'retired';
  return {
    kid,
    algorithm,
    status,
    ...(createdAt && { createdAt, activatesAt }),
    ...(expiresAt && { expiresAt }),
  };
}
