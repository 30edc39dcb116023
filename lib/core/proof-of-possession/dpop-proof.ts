import type { JWTHeaderParameters, JWTPayload } from 'jose';
import { JOSEError } from 'jose/errors';

import { loadJose } from '../../shared/crypto/jose.js';
import { SIGNATURE_ALGORITHMS } from '../../shared/crypto/jwa.js';
import { equalText, hashSecret, tagOf } from '../../shared/crypto/secrets.js';
import { clockDetail, clockDetailOf } from '../../shared/date.js';
import { OAuthError } from '../../shared/errors.js';
import { lazy } from '../../shared/lazy.js';
import { createCache } from '../../shared/lru-cache.js';
import { isSameTarget } from '../../shared/protocol/same-target.js';
import { parsePublicJwks } from '../clients/public-jwks.js';
import { invalidProof, type KeyProof } from './binding.js';

/** Seconds for which a proof is valid beside the tolerance of clocks, and its `jti` is stored. (RFC 9449 §11.1) */
const MAX_AGE = 60;

export interface ProofVerifierOptions {
  readonly usedProofs: UsedProofs;
  /** Undefined: no nonce is required. */
  readonly nonces: Nonces | undefined;
  /** Seconds by which a client's clock may differ. */
  readonly clockTolerance: number;
  /** The algorithms of proofs. Default: all. */
  readonly algorithms?: readonly string[];
}

export interface ProofTarget {
  readonly method: string;
  /** The addresses under which clients know the endpoint. */
  readonly urls: readonly string[];
  /** The access token that the proof accompanies, at a resource server. */
  readonly accessToken?: string;
  readonly now: Date;
  /** The algorithms of this client's proofs, if fewer than the others'. */
  readonly algorithms?: readonly string[];
}

export type ProofVerifier = ReturnType<typeof createProofVerifier>;

/** Characters: an RSA key and its signature, and as much again. */
const MAX_LENGTH = 8192;
const MAX_JTI_LENGTH = 256;

/** @see RFC 9449 §4.3 */
export function createProofVerifier(options: ProofVerifierOptions) {
  const { usedProofs, nonces, clockTolerance, algorithms = SIGNATURE_ALGORITHMS } = options;
  /** The response headers with the next nonce. */
  const headers = (now: Date): Readonly<Record<string, string>> =>
    nonces === undefined ? {} : { 'DPoP-Nonce': nonces.current(now) };
  return {
    headers,
    algorithms,
    /**
     * The proof in the header `DPoP`.
     *
     * @throws OAuthError invalid_dpop_proof; use_dpop_nonce, with the nonce
     */
    async verify(header: string, target: ProofTarget): Promise<KeyProof> {
      const { payload, jkt } = await open(header, {
        now: target.now,
        clockTolerance,
        algorithms: target.algorithms ?? algorithms,
      });
      const { jti, iat = 0, nonce, htm, htu, ath } = payload;
      if (htm !== target.method) throw invalidProof(`its htm must be ${target.method}`);
      if (typeof htu !== 'string' || !target.urls.some((url) => isSameTarget(htu, url)))
        throw invalidProof('its htu is not the address of this request');
      if (target.accessToken !== undefined && ath !== hashSecret(target.accessToken))
        throw invalidProof('its ath is not the hash of the access token');
      const age = target.now.getTime() / 1000 - iat;
      const detail = clockDetail('iat', iat, { now: target.now, clockTolerance });
      if (age > MAX_AGE + clockTolerance)
        throw invalidProof(`its iat is more than ${MAX_AGE} seconds ago`, undefined, detail);
      if (age < -clockTolerance) throw invalidProof('its iat is in the future', undefined, detail);
      if (typeof jti !== 'string' || jti === '' || jti.length > MAX_JTI_LENGTH)
        throw invalidProof(`its jti must be text of 1 to ${MAX_JTI_LENGTH} characters`);
      // RFC 9449 §8: checked last, so that a proof with the new nonce has no other problem
      if (nonces !== undefined && !(typeof nonce === 'string' && nonces.isFresh(nonce, target.now)))
        throw new OAuthError('use_dpop_nonce', 'the DPoP proof needs the nonce of this answer', {
          reason: 'dpop_nonce_missing',
          status: 400,
          headers: headers(target.now),
        });
      const expiresAt = new Date((iat + MAX_AGE + 2 * clockTolerance) * 1000);
      return {
        jkt,
        use: lazy(async () => {
          if (!(await usedProofs.use(jkt, jti, expiresAt))) throw invalidProof('it was used before');
        }),
      };
    },
  };
}

/** Verifies the proof by the key in its header: the sender has that key, and nothing else is proven. */
async function open(
  header: string,
  by: { readonly now: Date; readonly clockTolerance: number; readonly algorithms: readonly string[] },
): Promise<{ readonly payload: JWTPayload; readonly jkt: string }> {
  const { now, clockTolerance, algorithms } = by;
  if (header.length > MAX_LENGTH) throw invalidProof('it is too long');
  // Node joins headers of the same name with a comma
  if (header.includes(',')) throw invalidProof('there must be one');
  const { jwtVerify, EmbeddedJWK, decodeProtectedHeader, calculateJwkThumbprint } = await loadJose();
  try {
    const { jwk } = decodeProtectedHeader(header) as JWTHeaderParameters;
    // not a private key, nor a key whose signatures take this server long to verify
    if (jwk === undefined) throw invalidProof('its header has no jwk');
    const parsed = parsePublicJwks({ keys: [jwk] });
    if (!('keys' in parsed)) throw invalidProof(`of its jwk: ${parsed.text}`);
    const { payload } = await jwtVerify(header, EmbeddedJWK, {
      typ: 'dpop+jwt',
      algorithms: [...algorithms],
      requiredClaims: ['jti', 'htm', 'htu', 'iat'],
      currentDate: now,
      clockTolerance,
    });
    return { payload, jkt: await calculateJwkThumbprint(jwk) };
  } catch (error) {
    if (error instanceof OAuthError) throw error;
    // not a JWT, or a key that no algorithm can use
    throw invalidProof(
      error instanceof JOSEError ? error.message : 'it is no signed JWT',
      error,
      clockDetailOf(error, { now, clockTolerance }),
    );
  }
}

/** Used proofs, stored as long as a proof is valid (RFC 9449 §11.1). */
export interface UsedProofs {
  /** Records that the key has used the id; false if it had used it before. */
  use(jkt: string, jti: string, expiresAt: Date): Promise<boolean>;
}

/** Maximum number of proofs in one process; the least recently used one is dropped first. */
const CACHED = 100_000;

/** For this process only: another process accepts the same proof once more. */
export function rememberUsedProofs(): UsedProofs {
  const used = createCache<true>({ size: CACHED });
  return {
    use(jkt, jti, expiresAt) {
      const key = `${jkt} ${jti}`;
      if (used.has(key)) return Promise.resolve(false);
      used.set(key, true, { ttl: Math.max(1, expiresAt.getTime() - Date.now()) });
      return Promise.resolve(true);
    },
  };
}

/** Seconds until there is a new nonce; the old one is accepted for as long again. */
const ROTATION = 120;

export type Nonces = ReturnType<typeof createNonces>;

/**
 * The nonces that proofs must contain, so that no proof can be made in advance. Nothing is stored: each nonce is
 * derived from a secret of all processes, and from the time.
 *
 * @see RFC 9449 §8
 */
export function createNonces(secret: string) {
  const stepOf = (now: Date) => Math.floor(now.getTime() / 1000 / ROTATION);
  const nonceOf = (step: number) => tagOf(`dpop nonce ${step}`, secret);
  return {
    current: (now: Date) => nonceOf(stepOf(now)),
    // a process with a fast clock may have sent the next nonce already
    isFresh: (nonce: string, now: Date) =>
      [0, -1, 1].some((steps) => equalText(nonce, nonceOf(stepOf(now) + steps))),
  };
}
