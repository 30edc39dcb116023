import { createHash, randomUUID } from 'node:crypto';

import { calculateJwkThumbprint, type JWTHeaderParameters, SignJWT } from 'jose';

import { createTestKey, now, type TestKey } from './assertions.js';

export interface ProofKey extends TestKey {
  readonly jkt: string;
}

export interface ProofOptions {
  readonly accessToken?: string;
  readonly nonce?: string;
  /** Replaces or adds to the claims of a valid proof; undefined removes a claim. */
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
}

export async function createProofKey(alg = 'ES256'): Promise<ProofKey> {
  const key = await createTestKey(alg, null);
  return { ...key, jkt: await calculateJwkThumbprint(key.publicJwk) };
}

/** A valid proof for a request (RFC 9449 §4.2), except for the changes in the options. */
export function prove(
  key: Pick<ProofKey, 'alg' | 'publicJwk'> & { readonly privateKey: Parameters<SignJWT['sign']>[0] },
  method: string,
  url: string,
  { accessToken, nonce, claims = {}, header = {} }: ProofOptions = {},
): Promise<string> {
  const all = {
    jti: randomUUID(),
    htm: method,
    htu: url,
    iat: now(),
    ath: accessToken && createHash('sha256').update(accessToken).digest('base64url'),
    nonce,
    ...claims,
  };
  const head = { alg: key.alg, typ: 'dpop+jwt', jwk: key.publicJwk, ...header };
  const withoutUndefined = (members: object) =>
    Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
  return new SignJWT(withoutUndefined(all))
    .setProtectedHeader(withoutUndefined(head) as unknown as JWTHeaderParameters)
    .sign(key.privateKey);
}
