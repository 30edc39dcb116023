import { createHash, generateKeyPairSync, randomUUID } from 'node:crypto';

import * as jose from 'jose';

import type { Header } from './http.js';

/** A key of the client as text, because the playground stores only text. */
export function createProofKey(): string {
  return JSON.stringify(
    generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }),
  );
}

/** The thumbprint of a key: RFC 7638. */
export function thumbprintOf(key: string): Promise<string> {
  return jose.calculateJwkThumbprint(publicHalf(key));
}

export interface Proven {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  /** For a request to an API: its access token. */
  readonly accessToken?: string;
}

/** Proves possession of the key for one request (RFC 9449 §4.2). */
export function prove(key: string, { method, url, accessToken }: Proven): Promise<string> {
  return new jose.SignJWT({
    jti: randomUUID(),
    htm: method,
    htu: url.origin + url.pathname,
    ...(accessToken !== undefined && {
      ath: createHash('sha256').update(accessToken).digest('base64url'),
    }),
  })
    .setProtectedHeader({ typ: 'dpop+jwt', alg: 'ES256', jwk: publicHalf(key) })
    .setIssuedAt()
    .sign(JSON.parse(key) as jose.JWK);
}

export const proofHeader = (proof: string): Header => ['DPoP', proof];

/** The content of a proof, for people. */
export function describeProof(proof: string): string {
  const reported = Object.entries(jose.decodeJwt(proof)).map(([name, value]) => `${name}: ${String(value)}`);
  return `The proof says ${reported.join(', ')}; its header has the public key.`;
}

function publicHalf(key: string): jose.JWK {
  const { kty, crv, x, y } = JSON.parse(key) as jose.JWK_EC_Public;
  return { kty, crv, x, y };
}
