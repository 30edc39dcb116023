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
  /** Access tokens that were signed with it before are refused. */
  readonly notBefore?: Date | undefined;
  /** Set if it signs only what asks for its algorithm, or if it is a key to encrypt to. */
  readonly line?: KeyAlgorithm;
}

/** Where keys come from: the database, or the site. */
export interface KeySource {
  /** All that are published, the newest first. */
  load(): Promise<readonly SigningKey[]>;
  /** Starts to call `notify` when another process has changed or removed a key. Absent: none can. */
  readonly watch?: ((notify: () => void) => void) | undefined;
}

/** The keys with which tokens are signed, read anew when another process has changed them, and at bounded intervals. */
export type SigningKeys = ReturnType<typeof createSigningKeys>;

/** Milliseconds that a key must still be published after it has signed. */
const LONGEST_ANSWER = 600_000;

/** @param cacheLife seconds that a process uses the keys it has read, unless it hears of a change before */
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
     * A JWT of this `typ`, signed with the key whose turn it is.
     *
     * @param by the algorithm that it should be signed with, or must be. Default: that of the key whose turn it is
     * @throws OAuthError server_error if no key has the algorithm that is required
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
    /** The claims of a JWT, or null if it is not one of ours. */
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
    /** The keys that this process knows; a new list each time they were read. */
    current,
    /** The public keys, in the form of RFC 7517 §5. */
    async publicKeys(): Promise<readonly JWK[]> {
      const keys = await current();
      const now = new Date();
      // a key that signs is published before its turn, and as long as what it signed is valid; a key to encrypt to only
      // while it is its turn: whoever takes it then may use it for as long as it decrypts
      const published = keys.filter((key) => {
        if (!isForEncryption(key.algorithm)) return true;
        const ofLine = keys.filter(({ line }) => line === key.line);
        return key === activeKeyOf(ofLine, now);
      });
      return published.map(({ publicJwk, notBefore }) =>
        // as in OpenID Federation §8.7.2; RFC 7517 §4: whoever does not know the member ignores it
        notBefore === undefined ? publicJwk : { ...publicJwk, nbf: Math.ceil(notBefore.getTime() / 1000) },
      );
    },
    /** All keys, read anew. */
    list: load,
  };
}

/** The newest key whose turn has come; if a clock is behind, the oldest, which everybody knows. */
export function activeKeyOf<Key extends { readonly activatesAt: Date }>(
  keys: readonly Key[],
  now: Date,
): Key {
  const active = keys.find(({ activatesAt }) => activatesAt <= now) ?? keys.at(-1);
  if (active === undefined) throw new Error('express-authorization-server: there is no signing key');
  return active;
}
