import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

import {
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  type JWTPayload,
  jwtVerify,
  SignJWT,
} from 'jose';
import request from 'supertest';

import type { Site } from './site.js';

/** An unsigned or wrongly signed JWT, as attackers write them. */
export function forge(header: object, claims: object, signature = ''): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part(header)}.${part(claims)}.${signature}`;
}

/** The published key set. */
export async function fetchKeys(site: Site): Promise<{ kid: string; alg: string; use: string }[]> {
  return (await request(site.server).get('/oauth/jwks')).body.keys;
}

/** As a resource server elsewhere does it, with only the published keys. */
export async function verifyByKeys(
  site: Site,
  token: string,
  audience: string,
): Promise<{ header: Record<string, unknown>; claims: JWTPayload }> {
  const keys = createLocalJWKSet({ keys: await fetchKeys(site) });
  const { payload, protectedHeader } = await jwtVerify(token, keys, {
    issuer: site.url,
    audience,
    typ: 'at+jwt',
  });
  return { header: { ...protectedHeader }, claims: payload };
}

/** The beginning of every changed copy of a real token. */
export function takeApart(token: string): { header: Record<string, unknown>; claims: JWTPayload } {
  return { header: { ...decodeProtectedHeader(token) }, claims: decodeJwt(token) };
}

/** A P-256 key pair whose private half only the test has. */
export function attackerKey(): KeyObject {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
}

export function signWith(
  key: KeyObject | Uint8Array,
  header: Record<string, unknown>,
  claims: JWTPayload,
): Promise<string> {
  return new SignJWT(claims).setProtectedHeader(header as never).sign(key);
}

/** Signs the given texts with ES256, even such as no library would write: duplicate members, or no JSON at all. */
export function signTexts(key: KeyObject, header: string, claims: string): string {
  const input = [header, claims].map((text) => Buffer.from(text).toString('base64url')).join('.');
  return `${input}.${sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}

/** A private P-256 JWK that the test gives the server as a host would, so that the test can sign anything. */
export function hostKey(): { key: KeyObject; jwk: Record<string, unknown> } {
  const key = attackerKey();
  return { key, jwk: { ...key.export({ format: 'jwk' }), kid: 'of the host' } };
}
