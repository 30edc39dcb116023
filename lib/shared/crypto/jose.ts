import type * as Jose from 'jose';
import type { JWTVerifyGetKey, JWTVerifyOptions, JWTVerifyResult } from 'jose';
import { JWKSMultipleMatchingKeys, JWKSNoMatchingKey, JWSSignatureVerificationFailed } from 'jose/errors';

import { unableForTheMoment } from '../errors.js';
import { lazy } from '../lazy.js';

/** All of jose, loaded when the first JWT is signed or verified: a site without JWTs starts faster. */
export const loadJose: () => Promise<typeof Jose> = lazy(() => import('jose'));

/**
 * Finds keys in a set that is fetched for an unknown key id at most once in `cooldown` seconds, because anybody can
 * send one. During the cooldown an unknown key may be newer than the set. A refusal would make a client discard a valid
 * token, and no transmitter or workload repeats a refused request.
 *
 * @param options `isStale`: whether a JWT is older than the last fetch, so that its key would be in the set
 * @throws OAuthError temporarily_unavailable from the key set, with `Retry-After`
 */
export function retryUnknownKeys(
  keys: ReturnType<typeof Jose.createRemoteJWKSet>,
  {
    cooldown,
    isStale = () => false,
  }: { readonly cooldown: number; readonly isStale?: (payload: string) => boolean },
): JWTVerifyGetKey {
  return async (header, jws) => {
    const isCoolingDown = keys.coolingDown;
    try {
      return await keys(header, jws);
    } catch (error) {
      const isUnknown = error instanceof JWKSNoMatchingKey && typeof header.kid === 'string';
      if (!isCoolingDown || !isUnknown || isStale(String(jws.payload))) throw error;
      throw unableForTheMoment('the key is unknown, and the keys were fetched a moment ago', error, {
        'Retry-After': String(Math.ceil(cooldown)),
      });
    }
  };
}

/** The `typ` of a JWT in lower case, without the optional prefix; empty if it is no text. (RFC 7515 §4.1.9) */
export function jwtTypeOf({ typ }: { readonly typ?: unknown }): string | undefined {
  if (typ === undefined) return undefined;
  return typeof typ === 'string' ? typ.toLowerCase().replace(/^application\//, '') : '';
}

/** Verifies a JWT by each fitting key: without a `kid` several may fit. */
export async function verifyByAny(
  jwt: string,
  key: JWTVerifyGetKey | Uint8Array,
  options: JWTVerifyOptions,
): Promise<JWTVerifyResult> {
  const { jwtVerify } = await loadJose();
  const verifying = typeof key === 'function' ? jwtVerify(jwt, key, options) : jwtVerify(jwt, key, options);
  const verified = await verifying.catch((error: unknown) => {
    if (error instanceof JWKSMultipleMatchingKeys) return error;
    throw error;
  });
  if (!(verified instanceof JWKSMultipleMatchingKeys)) return verified;
  for await (const candidate of verified) {
    try {
      return await jwtVerify(jwt, candidate, options);
    } catch (error) {
      if (!(error instanceof JWSSignatureVerificationFailed)) throw error;
    }
  }
  throw new JWSSignatureVerificationFailed();
}
