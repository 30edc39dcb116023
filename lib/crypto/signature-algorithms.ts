/** By which clients sign. Signatures only: a public key is never taken for an HMAC secret, and `none` is none. */
export const SIGNATURE_ALGORITHMS: readonly string[] = [
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
  'PS256',
  'PS384',
  'PS512',
  'RS256',
  'RS384',
  'RS512',
];
