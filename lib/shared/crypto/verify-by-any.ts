import type { CryptoKey, JWTVerifyGetKey, JWTVerifyOptions, JWTVerifyResult } from 'jose';
import { JWKSMultipleMatchingKeys, JWSSignatureVerificationFailed } from 'jose/errors';

import { loadJose } from './jose.js';

/** Verifies a JWT with one of several keys: without a `kid` more than one may fit, and each is tried. */
export async function verifyByAny(
  jwt: string,
  key: JWTVerifyGetKey | Uint8Array,
  options: JWTVerifyOptions,
): Promise<JWTVerifyResult> {
  const { jwtVerify } = await loadJose();
  try {
    return await (typeof key === 'function' ? jwtVerify(jwt, key, options) : jwtVerify(jwt, key, options));
  } catch (error) {
    if (!(error instanceof JWKSMultipleMatchingKeys)) throw error;
    return verifyByEach(jwt, error, options);
  }
}

async function verifyByEach(
  jwt: string,
  candidates: AsyncIterable<CryptoKey>,
  options: JWTVerifyOptions,
): Promise<JWTVerifyResult> {
  const { jwtVerify } = await loadJose();
  for await (const candidate of candidates) {
    try {
      return await jwtVerify(jwt, candidate, options);
    } catch (error) {
      if (!(error instanceof JWSSignatureVerificationFailed)) throw error;
    }
  }
  throw new JWSSignatureVerificationFailed();
}
