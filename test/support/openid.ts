import { createLocalJWKSet, type JWTPayload, jwtVerify } from 'jose';
import request from 'supertest';

import type { AuthorizationServerOptions } from '../../lib/index.js';
import { fetchKeys } from './jwt.js';
import type { Site } from './site.js';

export type OpenidOptions = Exclude<NonNullable<AuthorizationServerOptions['openid']>, false>;

/** The claims of every user of the test site, more than any client may read. */
export const PERSON = {
  name: 'Ada Lovelace',
  'name#ja-Kana-JP': 'エイダ・ラブレス',
  family_name: 'Lovelace',
  nickname: '',
  picture: null,
  updated_at: new Date('2026-01-02T03:04:05.678Z'),
  email: 'ada@photos.example',
  email_verified: true,
  address: { country: 'GB' },
  phone_number: '+44 20 7946 0000',
  phone_number_verified: false,
  department: 'engines',
  passwordHash: 'nobody must see this',
  sub: 'somebody else',
  iss: 'https://evil.example',
};

export const openid: OpenidOptions = { claims: () => Promise.resolve(PERSON) };

export type IdToken = JWTPayload & {
  readonly nonce?: string;
  readonly auth_time?: number;
  readonly acr?: string;
  readonly amr?: readonly string[];
  readonly at_hash?: string;
  readonly c_hash?: string;
};

/** Checks an ID token as a client does: with the published keys, for itself, with the algorithm that it expects. */
export async function verifyIdToken(
  site: Site,
  token: string,
  { clientId, algorithm = 'RS256' }: { readonly clientId: string; readonly algorithm?: string },
): Promise<IdToken> {
  const keys = createLocalJWKSet({ keys: await fetchKeys(site) });
  const { payload } = await jwtVerify(token, keys, {
    issuer: site.url,
    audience: clientId,
    algorithms: [algorithm],
    requiredClaims: ['sub', 'exp', 'iat'],
  });
  return payload;
}

/** The metadata at OpenID Connect's address. */
export async function discover(site: Site): Promise<Record<string, unknown>> {
  return (await request(site.server).get('/.well-known/openid-configuration').expect(200)).body;
}

export function userinfo(site: Site, token: string): request.Test {
  return request(site.server).get('/oauth/userinfo').set('Authorization', `Bearer ${token}`);
}
