import {
  createKeyVault,
  generatePrivateJwk,
  type KeyAlgorithm,
  openKeyPair,
  type SigningAlgorithm,
} from '../../shared/crypto/key-material.js';
import { addSeconds } from '../../shared/date.js';
import type { OAuthError } from '../../shared/errors.js';
import type { SigningKeyRecord, SigningKeyStore } from './signing-key-store.js';
import { activeKeyOf, type SigningKey } from './signing-keys.js';

export interface StoredKeysOptions {
  readonly store: SigningKeyStore;
  readonly algorithm: SigningAlgorithm;
  /** Further algorithms with a key, for clients that request one, or encrypt to it. */
  readonly alsoAlgorithms: readonly KeyAlgorithm[];
  readonly encryptionSecret: string | undefined;
  /** Seconds that a key signs; undefined: until `rotate` is called. */
  readonly rotationInterval: number | undefined;
  /** Seconds that a new key is published before it signs. */
  readonly publishAhead: number;
  /** The longest lifetime, in seconds, of a token that a key signed. */
  readonly longestToken: () => Promise<number>;
}

interface KeySeries {
  readonly name: KeyAlgorithm | undefined;
  readonly newest: SigningKeyRecord | undefined;
}

/** Seconds by which the clocks of processes may differ. */
const CLOCK_SKEW = 60;
/** How often the store is read at most: once more for each key that another process made first. */
const MAX_LOOKS = 8;

/**
 * Keys that are made here and shared by all processes through MongoDB. A successor has the next generation as its id,
 * so that only one is made however many processes try at once. It is published `publishAhead` before it signs, and its
 * predecessor stays published until its last token has expired: no token ever meets an unknown key.
 */
export function createStoredKeys(options: StoredKeysOptions) {
  const { store, rotationInterval } = options;
  const vault = createKeyVault(options.encryptionSecret);

  const addGeneration = async (
    stored: readonly SigningKeyRecord[],
    { name, newest }: KeySeries,
    now: Date,
  ): Promise<void> => {
    const algorithm = name ?? options.algorithm;
    const jwk = await generatePrivateJwk(algorithm);
    const { kid } = await openKeyPair({ ...jwk }, algorithm);
    // the very first key need not wait: no cached key set lacks it. Nor need a key that replaces a revoked one
    const isAtOnce = newest === undefined || lacksSuccessor(newest);
    const key: SigningKeyRecord = {
      _id: (stored[0]?._id ?? 0) + 1,
      kid,
      algorithm,
      line: name,
      privateKey: await vault.seal(jwk),
      createdAt: now,
      activatesAt: isAtOnce ? now : addSeconds(now, options.publishAhead),
    };
    if (!(await store.insertGeneration(key)) || newest === undefined) return;
    await store.retireBefore(key, addSeconds(key.activatesAt, (await options.longestToken()) + CLOCK_SKEW));
  };

  return {
    watch: store.watch,
    async load(): Promise<readonly SigningKey[]> {
      const now = new Date();
      let stored = await store.findLive(now);
      // one more read for each key that another process made first
      for (let looks = 0; looks < MAX_LOOKS; looks += 1) {
        const due = keySeriesOf(stored, options).find(
          ({ newest }) =>
            newest === undefined ||
            lacksSuccessor(newest) ||
            (rotationInterval !== undefined && addSeconds(newest.activatesAt, rotationInterval) <= now),
        );
        if (due === undefined) break;
        await addGeneration(stored, due, now);
        stored = await store.findLive(now);
      }
      return Promise.all(
        stored.map(async (key): Promise<SigningKey> => {
          const { kid, algorithm, line, createdAt, activatesAt, expiresAt, notBefore } = key;
          const jwk = await vault.unseal(key.privateKey);
          return {
            ...(await openKeyPair({ ...jwk, kid }, algorithm)),
            createdAt,
            activatesAt,
            notBefore,
            line,
            expiresAt,
          };
        }),
      );
    },
    /** @throws TypeError if `encryptionSecret` no longer opens a stored key: no JWT could be issued or verified */
    async checkReadable() {
      const live = await store.findLive(new Date());
      for (const { privateKey } of live)
        await vault.unseal(privateKey).catch(({ detail }: OAuthError) => {
          throw new TypeError(`signingKeys.encryptionSecret: ${detail}`);
        });
    },
    async rotate() {
      const now = new Date();
      const stored = await store.findLive(now);
      for (const { name } of keySeriesOf(stored, options)) {
        const live = await store.findLive(now);
        const newest = live.find(({ line }) => line === name);
        // a key that waits to sign is a rotation in progress: a second call changes nothing
        if (newest === undefined || newest.activatesAt <= now)
          await addGeneration(live, { name, newest }, now);
      }
    },
  };
}

/** The default series first, which has no name; its algorithm needs no second series. */
function keySeriesOf(
  stored: readonly SigningKeyRecord[],
  { algorithm, alsoAlgorithms }: StoredKeysOptions,
): readonly KeySeries[] {
  const defaultAlgorithm = stored.find(({ line }) => line === undefined)?.algorithm ?? algorithm;
  return [undefined, ...alsoAlgorithms.filter((name) => name !== defaultAlgorithm)].map((name) => ({
    name,
    newest: stored.find(({ line }) => line === name),
  }));
}

/** If the newest key has an end, its successor was revoked. */
function lacksSuccessor({ expiresAt }: SigningKeyRecord): boolean {
  return expiresAt !== undefined;
}

/**
 * Removes a key at any stage of its life; no secret is needed. A waiting key takes over from a signing one; if none
 * waits, the next process that reads the keys makes one.
 *
 * @returns false if there is no such key
 */
export async function revokeKey(store: SigningKeyStore, kid: string): Promise<boolean> {
  const now = new Date();
  const live = await store.findLive(now);
  const revoked = live.find((key) => key.kid === kid);
  if (revoked === undefined) return false;
  const ofLine = live.filter(({ line }) => line === revoked.line);
  const [newest] = ofLine;
  if (newest !== undefined && newest.activatesAt > now && activeKeyOf(ofLine, now).kid === kid)
    await store.activate(newest._id, now);
  await store.remove(revoked._id);
  return true;
}
