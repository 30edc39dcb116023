import type * as Jose from 'jose';
import type { JWTVerifyGetKey, JWTVerifyOptions, JWTVerifyResult } from 'jose';
import { JWKSMultipleMatchingKeys, JWSSignatureVerificationFailed } from 'jose/errors';

import { lazy } from '../lazy.js';

/**
 * All of jose, loaded when the first JWT is signed or verified: a site without JWTs does not wait for it when it
 * starts.
 */
export const loadJose: () => Promise<typeof Jose> = lazy(() => import('jose'));

/** The `typ` of a JWT in lower case, without the prefix that may be left out; empty if it is no text. (RFC 7515 §4.1.9) */
export function jwtTypeOf({ typ }: { readonly typ?: unknown }): string | undefined {
  if (typ === undefined) return undefined;
  return typeof typ === 'string' ? typ.toLowerCase().replace(/^application\//, '') : '';
}

/** Verifies a JWT with one of several keys: without a `kid` more than one may fit, and each is tried. */
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
