import * as jose from 'jose';
import type { CryptoKey, CryptoKeyPair } from 'openid-client';

/** The keys of the shop, made at its start; the private halves leave neither the process nor the runtime. */
export interface ShopKeys {
  /** By which it says who it is, in the place of a secret (RFC 7523). */
  readonly own: { readonly key: CryptoKey; readonly kid: string };
  /** To which its tokens are bound (RFC 9449). */
  readonly ofTokens: CryptoKeyPair;
  /** What the photo site reads: the public half of `own`. */
  readonly published: jose.JSONWebKeySet;
}

export async function createShopKeys(): Promise<ShopKeys> {
  const [own, ofTokens] = await Promise.all([jose.generateKeyPair('ES256'), jose.generateKeyPair('ES256')]);
  const jwk = await jose.exportJWK(own.publicKey);
  // a key that was made anew has another name, by which the photo site sees that it has to read again
  const kid = await jose.calculateJwkThumbprint(jwk);
  return {
    own: { key: own.privateKey, kid },
    ofTokens,
    published: { keys: [{ ...jwk, kid, alg: 'ES256', use: 'sig' }] },
  };
}
