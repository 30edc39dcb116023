import { createSecret, equalText, hashSecret } from '../../../shared/crypto/secrets.js';
import { addSeconds } from '../../../shared/date.js';
import { BCRYPT_PATIENCE, loadBcrypt, queueForSecret } from '../../../shared/limits/bcrypt-queues.js';
import { createKeyedMutex } from '../../../shared/limits/keyed-mutex.js';
import { createCache } from '../../../shared/lru-cache.js';
import type { ClientSecret } from '../client.js';

const BCRYPT_ROUNDS = 10;
/** bcrypt reads no further; a longer secret would match by its beginning. */
export const BCRYPT_MAX_BYTES = 72;
const CACHE_SECONDS = 60;
const CACHE_ENTRIES = 1000;

export interface NewClientSecret {
  readonly secret: string;
  readonly stored: ClientSecret;
}

export function createClientSecret(now: Date): NewClientSecret {
  const secret = `eas_cs_${createSecret()}`;
  // reveals 22 of 256 random bits; of a user's secret no part is stored
  const ending = secret.slice(-4);
  return { secret, stored: { hash: hashSecret(secret), algorithm: 'sha256', createdAt: now, ending } };
}

/**
 * Hashes a secret of the site's choice. The secret may be guessable, so the hash is bcrypt.
 *
 * @throws TypeError if bcrypt could not distinguish the secret from another one
 */
export async function importClientSecret(secret: string, now: Date): Promise<NewClientSecret> {
  if (Buffer.byteLength(secret) > BCRYPT_MAX_BYTES)
    throw new TypeError(`clientSecret: longer than ${BCRYPT_MAX_BYTES} bytes; leave it out and one is made`);
  if (!/^[\x20-\x7e]+$/.test(secret))
    throw new TypeError('clientSecret: must be printable ASCII (RFC 6749 Appendix A.2)');
  const { hash } = await loadBcrypt();
  return {
    secret,
    stored: { hash: await hash(secret, BCRYPT_ROUNDS), algorithm: 'bcrypt', createdAt: now },
  };
}

/** Seconds for which the old secret works after a rotation, unless somebody ends it. */
export const SECRET_OVERLAP = 86_400;

/**
 * The old secrets that stay valid beside a new one: only the newest, for a while.
 *
 * @param overlap seconds
 */
export function retireSecrets([newest]: readonly ClientSecret[], now: Date, overlap: number): ClientSecret[] {
  return newest === undefined || overlap === 0 ? [] : [{ ...newest, expiresAt: addSeconds(now, overlap) }];
}

/** Finds the stored secret that matches the presented one; undefined if none does. */
export type VerifyClientSecret = (
  presented: string,
  stored: readonly ClientSecret[],
  act: {
    readonly now: Date;
    /** Called before each check of a guessable secret; throws to refuse. */
    readonly beforeGuess?: (() => Promise<void>) | undefined;
    /** Aborted when the client no longer waits for the response: further secrets are then not checked. */
    readonly closeSignal?: (() => AbortSignal) | undefined;
  },
) => Promise<ClientSecret | undefined>;

/** Checks a secret against the stored secrets of a client, except expired ones. */
export function createSecretVerifier(): VerifyClientSecret {
  // bcrypt takes 50 ms of a core on purpose, so a recent match is not computed again; the cache holds only hashes
  const verified = createCache<true>({ size: CACHE_ENTRIES, ttl: CACHE_SECONDS });

  const keyedMutex = createKeyedMutex();

  const verifyBcrypt = async (
    presented: string,
    hash: string,
    { beforeGuess, closeSignal }: Parameters<VerifyClientSecret>[2],
  ): Promise<boolean> => {
    if (Buffer.byteLength(presented) > BCRYPT_MAX_BYTES) return false;
    const key = hashSecret(`${hash}\n${presented}`);
    if (verified.has(key)) return true;
    const signal = closeSignal?.();
    const verify = async (): Promise<boolean> => {
      if (verified.has(key)) return true;
      await beforeGuess?.();
      const isRight = await queueForSecret.run(async () => (await loadBcrypt()).compare(presented, hash), {
        signal,
      });
      if (isRight) verified.set(key, true);
      return isRight;
    };
    return keyedMutex(hash, verify, { patience: BCRYPT_PATIENCE, signal });
  };

  return async (presented, stored, act) => {
    const { now } = act;
    for (const secret of stored) {
      const { hash, algorithm, expiresAt } = secret;
      if (expiresAt !== undefined && expiresAt <= now) continue;
      if (
        algorithm === 'sha256'
          ? equalText(hashSecret(presented), hash)
          : await verifyBcrypt(presented, hash, act)
      )
        return secret;
    }
    return undefined;
  };
}
