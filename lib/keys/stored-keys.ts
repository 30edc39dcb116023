import { after } from '../crypto/add-seconds.js';
import {
  createKeyVault,
  generatePrivateJwk,
  openKeyPair,
  type SigningAlgorithm,
} from '../crypto/key-material.js';
import type { KeptSigningKey, SigningKeyStore } from './signing-key-store.js';
import { activeKeyOf, type KeySource, type SigningKey } from './signing-keys.js';

export interface StoredKeysOptions {
  readonly store: SigningKeyStore;
  readonly algorithm: SigningAlgorithm;
  readonly encryptionSecret: string | undefined;
  /** Seconds that a key signs; undefined: until `rotate` is called. */
  readonly rotationInterval: number | undefined;
  /** Seconds that a new key is published before it signs. */
  readonly publishAhead: number;
  /** Seconds that a token signed by a key can be valid at most. */
  readonly longestToken: () => Promise<number>;
}

/** Seconds by which the clocks of processes may differ. */
const CLOCK_SKEW = 60;

/**
 * Keys that are made here and shared by all processes through MongoDB. A successor has the next generation as its id,
 * so that however many processes make one at the same moment, one is made; it is published `publishAhead` before it
 * signs, and the key before it stays published until its last token has expired: no token ever meets an unknown key.
 */
export function createStoredKeys(options: StoredKeysOptions): KeySource & { rotate(): Promise<void> } {
  const { store, rotationInterval } = options;
  const vault = createKeyVault(options.encryptionSecret);

  const addGeneration = async (newest: KeptSigningKey | undefined, now: Date): Promise<void> => {
    const key = await makeGeneration(options, { newest, now }, (jwk) => vault.seal(jwk));
    if (!(await store.insertGeneration(key)) || newest === undefined) return;
    await store.retireBefore(
      key.generation,
      after(key.activatesAt, (await options.longestToken()) + CLOCK_SKEW),
    );
  };
  const isDue = (newest: KeptSigningKey, now: Date) =>
    lacksSuccessor(newest) ||
    (rotationInterval !== undefined && after(newest.activatesAt, rotationInterval) <= now);

  return {
    async load() {
      const now = new Date();
      let stored = await store.findLive(now);
      const [newest] = stored;
      if (newest === undefined || isDue(newest, now)) {
        await addGeneration(newest, now);
        stored = await store.findLive(now);
      }
      return Promise.all(
        stored.map(async (key): Promise<SigningKey> => {
          const { kid, algorithm, createdAt, activatesAt, expiresAt } = key;
          const jwk = await vault.unseal(key.privateKey);
          return {
            ...(await openKeyPair({ ...jwk, kid }, algorithm)),
            createdAt,
            activatesAt,
            ...(expiresAt && { expiresAt }),
          };
        }),
      );
    },
    async rotate() {
      const now = new Date();
      const [newest] = await store.findLive(now);
      // one that waits for its turn is the rotation already: a second call changes nothing
      if (newest !== undefined && newest.activatesAt > now) return;
      await addGeneration(newest, now);
    },
  };
}

/** One that has an end had a successor, which was revoked. */
function lacksSuccessor({ expiresAt }: KeptSigningKey): boolean {
  return expiresAt !== undefined;
}

/**
 * Takes a key away, wherever it is in its life; it needs no secret. One that waits for its turn takes over from the one
 * that signs; if none does, the next process that reads the keys makes one.
 *
 * @returns false if there is no such key
 */
export async function revokeKey(store: SigningKeyStore, kid: string): Promise<boolean> {
  const now = new Date();
  const live = await store.findLive(now);
  const revoked = live.find((key) => key.kid === kid);
  if (revoked === undefined) return false;
  const [newest] = live;
  if (newest !== undefined && newest.activatesAt > now && activeKeyOf(live, now).kid === kid)
    await store.activate(newest.generation, now);
  await store.remove(revoked.generation);
  return true;
}

async function makeGeneration(
  { algorithm, publishAhead }: StoredKeysOptions,
  { newest, now }: { readonly newest: KeptSigningKey | undefined; readonly now: Date },
  seal: (jwk: object) => Promise<string>,
): Promise<KeptSigningKey> {
  const jwk = await generatePrivateJwk(algorithm);
  const { kid } = await openKeyPair({ ...jwk }, algorithm);
  return {
    generation: (newest?.generation ?? 0) + 1,
    kid,
    algorithm,
    privateKey: await seal(jwk),
    createdAt: now,
    // the very first has nothing to wait for: nobody can have cached a set without it; nor has one for a revoked key
    activatesAt: newest === undefined || lacksSuccessor(newest) ? now : after(now, publishAhead),
  };
}
