import * as jose from 'jose';
import type { CryptoKey, CryptoKeyPair } from 'openid-client';

/** The keys of the shop, made at its start; the private keys cannot be exported. */
export interface ShopKeys {
  /** Authenticates the shop, instead of a secret (RFC 7523). */
  readonly own: { readonly key: CryptoKey; readonly kid: string };
  /** The key to which the shop's tokens are bound (RFC 9449). */
  readonly ofTokens: CryptoKeyPair;
  /** The public half of `own`, for the photo site. */
  readonly published: jose.JSONWebKeySet;
}

export async function createShopKeys(): Promise<ShopKeys> {
  const [own, ofTokens] = await Promise.all([jose.generateKeyPair('ES256'), jose.generateKeyPair('ES256')]);
  const jwk = await jose.exportJWK(own.publicKey);
  // a new key gets a new id, which makes the photo site fetch the keys again
  const kid = await jose.calculateJwkThumbprint(jwk);
  return {
    own: { key: own.privateKey, kid },
    ofTokens,
    published: { keys: [{ ...jwk, kid, alg: 'ES256', use: 'sig' }] },
  };
}
