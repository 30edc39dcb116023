import * as jose from 'jose';
import type { CryptoKey, CryptoKeyPair } from 'openid-client';

/** The keys of the shop, made at its start; the private halves cannot be exported, and never leave the process. */
export interface ShopKeys {
  /** Proves who the shop is, instead of a secret (RFC 7523). */
  readonly own: { readonly key: CryptoKey; readonly kid: string };
  /** Its tokens are bound to these (RFC 9449). */
  readonly ofTokens: CryptoKeyPair;
  /** What the photo site reads: the public half of `own`. */
  readonly published: jose.JSONWebKeySet;
}

export async function createShopKeys(): Promise<ShopKeys> {
  const [own, ofTokens] = await Promise.all([jose.generateKeyPair('ES256'), jose.generateKeyPair('ES256')]);
  const jwk = await jose.exportJWK(own.publicKey);
  // a new key gets a new name, from which the photo site sees that it has to fetch the keys again
  const kid = await jose.calculateJwkThumbprint(jwk);
  return {
    own: { key: own.privateKey, kid },
    ofTokens,
    published: { keys: [{ ...jwk, kid, alg: 'ES256', use: 'sig' }] },
  };
}
