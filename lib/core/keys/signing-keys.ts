import type { JWK, JWTPayload, JWTVerifyOptions } from 'jose';
import { JOSEError, JWKSNoMatchingKey } from 'jose/errors';

import { loadJose } from '../../shared/crypto/jose.js';
import {
  isForEncryption,
  type KeyAlgorithm,
  type KeyPair,
  SIGNING_ALGORITHMS,
} from '../../shared/crypto/key-material.js';
import { unexpectedCondition } from '../../shared/errors.js';

export interface SigningKey extends KeyPair {
  readonly createdAt?: Date;
  readonly activatesAt: Date;
  readonly expiresAt?: Date;
  /** Access tokens that the key signed before this time are refused. */
  readonly notBefore?: Date | undefined;
  /** Set for a key that signs only if its algorithm is requested, and for an encryption key. */
  readonly line?: KeyAlgorithm;
}

/** The source of keys: the database, or the site. */
export interface KeySource {
  /** All published keys, the newest first. */
  load(): Promise<readonly SigningKey[]>;
  /** Calls `notify` when another process has changed or removed a key. Absent: no other process can. */
  readonly watch?: ((notify: () => void) => void) | undefined;
}

/** The keys that sign tokens, read again when another process has changed them, and at bounded intervals. */
export type SigningKeys = ReturnType<typeof createSigningKeys>;

/** Milliseconds for which a key must still be published after it has signed. */
const LONGEST_ANSWER = 600_000;

/** @param cacheLife seconds for which a process uses the keys that it has read, unless they change */
export function createSigningKeys(source: KeySource, cacheLife: number) {
  let cached: { readonly keys: Promise<readonly SigningKey[]>; readonly loadedAt: number } | undefined;

  const load = (): Promise<readonly SigningKey[]> => {
    source.watch?.(() => (cached = undefined));
    const entry = { keys: source.load(), loadedAt: performance.now() };
    cached = entry;
    entry.keys.catch(() => {
      if (cached === entry) cached = undefined;
    });
    return entry.keys;
  };
  const current = (): Promise<readonly SigningKey[]> =>
    cached !== undefined && performance.now() - cached.loadedAt < cacheLife * 1000 ? cached.keys : load();

  return {
    /**
     * Signs a JWT of this `typ` by the active key.
     *
     * @param by the algorithm that the key should have, or must have. Default: that of the active key
     * @throws OAuthError server_error if no key has the required algorithm
     */
    async sign(
      typ: string,
      claims: JWTPayload,
      { required, preferred = required }: { readonly preferred?: string; readonly required?: string } = {},
    ): Promise<string> {
      const { SignJWT } = await loadJose();
      const keys = await current();
      const now = new Date();
      const ofAlgorithm = keys.filter(
        ({ algorithm, expiresAt }) =>
          algorithm === preferred &&
          (expiresAt === undefined || expiresAt.getTime() - now.getTime() > LONGEST_ANSWER),
      );
      if (ofAlgorithm.length === 0 && required !== undefined)
        throw unexpectedCondition(
          `no signing key has the algorithm ${required} that the client is registered with; see keys rotate`,
        );
      const candidates = ofAlgorithm.length > 0 ? ofAlgorithm : keys.filter(({ line }) => line === undefined);
      const { kid, algorithm, privateKey } = activeKeyOf(candidates, now);
      return new SignJWT(claims).setProtectedHeader({ alg: algorithm, typ, kid }).sign(privateKey);
    },
    /** The claims of a JWT; null if this server did not sign it, or it is not valid. */
    async verify(jwt: string, options: JWTVerifyOptions): Promise<JWTPayload | null> {
      const { jwtVerify } = await loadJose();
      const keys = await current();
      let refusedBefore = 0;
      try {
        const { payload } = await jwtVerify(
          jwt,
          ({ kid, alg }) => {
            // the key decides the algorithm, never the token alone: RFC 8725 §3.1
            const key = keys.find((candidate) => candidate.kid === kid && candidate.algorithm === alg);
            if (key === undefined) throw new JWKSNoMatchingKey();
            refusedBefore = options.typ === 'at+jwt' ? Number(key.notBefore ?? 0) : 0;
            return key.publicKey;
          },
          { ...options, algorithms: [...SIGNING_ALGORITHMS] },
        );
        return (payload.iat ?? 0) * 1000 < refusedBefore ? null : payload;
      } catch (error) {
        if (error instanceof JOSEError) return null;
        throw error;
      }
    },
    /** The current keys of this process; a new list after each read. */
    current,
    /** The public keys, in the form of RFC 7517 §5. */
    async publicKeys(): Promise<readonly JWK[]> {
      const keys = await current();
      const now = new Date();
      // a signing key is published before it signs, and until the last token that it signed has expired; an encryption
      // key only while it is active: a client that has read it may use it as long as it decrypts
      const published = keys.filter((key) => {
        if (!isForEncryption(key.algorithm)) return true;
        const ofLine = keys.filter(({ line }) => line === key.line);
        return key === activeKeyOf(ofLine, now);
      });
      return published.map(({ publicJwk, notBefore }) =>
        // as in OpenID Federation §8.7.2; RFC 7517 §4: unknown members are ignored
        notBefore === undefined ? publicJwk : { ...publicJwk, nbf: Math.ceil(notBefore.getTime() / 1000) },
      );
    },
    /** All keys, freshly read. */
    list: load,
  };
}

/** The newest key that may sign; if the clock is slow, the oldest, which every process knows. */
export function activeKeyOf<Key extends { readonly activatesAt: Date }>(
  keys: readonly Key[],
  now: Date,
): Key {
  const active = keys.find(({ activatesAt }) => activatesAt <= now) ?? keys.at(-1);
  if (active === undefined) throw new Error('express-authorization-server: there is no signing key');
  return active;
}
