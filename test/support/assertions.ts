import { randomUUID } from 'node:crypto';

import {
  type CryptoKey,
  exportJWK,
  generateKeyPair,
  type JWTHeaderParameters,
  type JWTPayload,
  SignJWT,
  type SignOptions,
} from 'jose';
import type { Test } from 'supertest';

import type { PublicJwk } from '../../lib/index.js';
import type { Site } from './site.js';
import { type Fields, postToken } from './tokens.js';

export const JWT_BEARER = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** A client's key pair: for its signatures, and for its registration. */
export interface TestKey {
  readonly privateKey: CryptoKey;
  readonly publicJwk: PublicJwk;
  readonly alg: string;
}

export async function createTestKey(alg = 'ES256', kid: string | null = randomUUID()): Promise<TestKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true, modulusLength: 2048 });
  return {
    privateKey,
    alg,
    publicJwk: { ...(await exportJWK(publicKey)), ...(kid !== null && { kid }) } as unknown as PublicJwk,
  };
}

export interface AssertionOptions {
  /** Replaces or adds to the claims of a valid assertion; undefined removes a claim. */
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Partial<JWTHeaderParameters>;
  readonly sign?: SignOptions | undefined;
}

export const now = (): number => Math.floor(Date.now() / 1000);

/** A valid assertion of the client for the site, except for the changes in the options. */
export function claimsOf(site: Site, clientId: string, claims: AssertionOptions['claims'] = {}): JWTPayload {
  const all = {
    iss: clientId,
    sub: clientId,
    aud: site.url,
    jti: randomUUID(),
    iat: now(),
    exp: now() + 60,
    ...claims,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

export function signAssertion(
  site: Site,
  clientId: string,
  key: Pick<TestKey, 'privateKey' | 'alg' | 'publicJwk'>,
  { claims, header, sign }: AssertionOptions = {},
): Promise<string> {
  const kid = key.publicJwk.kid;
  return new SignJWT(claimsOf(site, clientId, claims))
    .setProtectedHeader({ alg: key.alg, ...(kid !== undefined && { kid }), ...header })
    .sign(key.privateKey, sign);
}

/** Signed with a MAC, with a text as the secret. */
export function macAssertion(
  site: Site,
  clientId: string,
  secret: string | Uint8Array,
  { claims, header }: AssertionOptions = {},
): Promise<string> {
  const key = typeof secret === 'string' ? new TextEncoder().encode(secret) : secret;
  return new SignJWT(claimsOf(site, clientId, claims))
    .setProtectedHeader({ alg: 'HS256', ...header })
    .sign(key);
}

/** client_credentials with the assertion. */
export function postAssertion(site: Site, assertion: string, fields: Fields = {}): Test {
  return postToken(site, {
    grant_type: 'client_credentials',
    client_assertion_type: JWT_BEARER,
    client_assertion: assertion,
    ...fields,
  });
}
