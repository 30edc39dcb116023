/** The algorithms with which clients sign: no HMAC, so that no public key is taken for a secret, and no `none`. */
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
