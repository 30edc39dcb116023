import { beforeAll, describe, expect, test } from '@jest/globals';
import express, { type Express } from 'express';
import request from 'supertest';

import { bearerGuard, errorHandler } from '../../../lib/guard.js';
import { hostKey, signWith, takeApart } from '../../support/jwt.js';
import { openSite, type Site } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';
import { tokenRequest } from '../../support/tokens.js';

const PHOTOS = 'https://api.photos.example';
const ALBUMS = 'https://albums.example';
const { key, jwk } = hostKey();

describe('RFC 9068: separate resource servers with the metadata and the published keys', () => {
  let photos: Express;
  let albums: Express;
  let token: string;

  const site = siteFor({
    tokens: { accessTokenFormat: 'jwt' },
    signingKeys: { keys: [jwk] },
    resources: { [PHOTOS]: { scopes: ['photos:read', 'photos:write'] }, [ALBUMS]: { scopes: ['profile'] } },
  });
  const client = fixture(() => site.client());

  beforeAll(async () => {
    photos = apiOf(site, PHOTOS);
    albums = apiOf(site, ALBUMS);
    token = await tokenFor({ resource: PHOTOS });
  });

  const apiOf = ({ url }: Site, resource: string) => {
    const guard = bearerGuard({ issuer: url, resource, onError: () => undefined });
    return express()
      .get('/', guard(), (req, res) => void res.json(req.auth))
      .use(errorHandler);
  };
  const call = (app: Express, bearer: string) =>
    request(app).get('/').set('Authorization', `Bearer ${bearer}`);
  const tokenFor = async (fields: { resource?: string; scope?: string }) =>
    (await tokenRequest(site, client, { grant_type: 'client_credentials', ...fields })).body
      .access_token as string;
  const copy = (header: object, claims: object = {}) =>
    signWith(key, { ...takeApart(token).header, ...header }, { ...takeApart(token).claims, ...claims });

  test('§4 bearerGuard accepts a JWT access token with the metadata and the published keys alone [4-1]', async () => {
    expect((await call(photos, token)).body).toMatchObject({
      clientId: client.clientId,
      scopes: ['photos:read', 'photos:write'],
    });
  });

  test('§3, §5 aud is the requested resource, and each resource accepts only its tokens [3-1] [4-5] [5-1]', async () => {
    const other = await tokenFor({ resource: ALBUMS });
    expect([token, other].map((each) => takeApart(each).claims.aud)).toEqual([PHOTOS, ALBUMS]);
    const ofNone = await tokenFor({});
    expect(takeApart(ofNone).claims.aud).toBe(site.url);
    const statuses = async (each: string) => [
      (await call(photos, each)).status,
      (await call(albums, each)).status,
    ];
    expect([await statuses(token), await statuses(other), await statuses(ofNone)]).toEqual([
      [200, 401],
      [401, 200],
      [401, 401],
    ]);
  });

  test('§2.2.3 a JWT access token has the requested scopes with a meaning at its resource [2.2.3-1] [2.2.3-2]', async () => {
    expect(takeApart(await tokenFor({ resource: PHOTOS, scope: 'photos:read profile' })).claims.scope).toBe(
      'photos:read',
    );
    expect(takeApart(await tokenFor({ resource: ALBUMS, scope: 'photos:read profile' })).claims.scope).toBe(
      'profile',
    );
  });

  test.each(['at+jwt', 'application/at+jwt', 'AT+JWT', 'application/at+JWT'])(
    '§4 a JWT access token with typ %s is accepted [4-2]',
    async (typ) => {
      expect((await call(photos, await copy({ typ }))).status).toBe(200);
    },
  );

  test.each([
    undefined,
    '',
    'JWT',
    'jwt',
    'at',
    'at+jwt+x',
    'application/jwt',
    'text/at+jwt',
    'id_token',
    'token-introspection+jwt',
    'client-authentication+jwt',
    'logout+jwt',
    'dpop+jwt',
  ])('§4 a JWT access token with typ %s is refused [4-2] [4-9]', async (typ) => {
    const response = await call(photos, await copy({ typ }));
    expect(response).toMatchObject({ status: 401, body: { error: 'invalid_token' } });
    expect(response.headers['www-authenticate']).toMatch(/^Bearer .*error="invalid_token"/);
  });

  test('§4 a JWT access token with another iss is refused, even with another spelling [4-4]', async () => {
    const others = [
      `${site.url}/`,
      site.url.toUpperCase(),
      `${site.url}.attacker.example`,
      'https://attacker.example',
      undefined,
      [site.url],
    ];
    for (const iss of others) expect((await call(photos, await copy({}, { iss }))).status).toBe(401);
  });

  test('§4 a JWT access token is refused unless its aud contains the resource [4-5]', async () => {
    for (const aud of [PHOTOS, [PHOTOS], [ALBUMS, PHOTOS]])
      expect((await call(photos, await copy({}, { aud }))).status).toBe(200);
    for (const aud of [
      ALBUMS,
      [ALBUMS],
      [],
      '',
      undefined,
      `${PHOTOS}.attacker.example`,
      `${PHOTOS}/v1`,
      site.url,
      '*',
      { 0: PHOTOS },
    ])
      expect((await call(photos, await copy({}, { aud }))).status).toBe(401);
  });

  test('§4 a JWT access token is refused after its exp, with a tolerance for clocks [4-8]', async () => {
    const now = Math.floor(Date.now() / 1000);
    expect((await call(photos, await copy({}, { exp: now - 1 }))).status).toBe(200);
    for (const exp of [now - 60, 0, -1, undefined, 'tomorrow', `${now + 60}`])
      expect((await call(photos, await copy({}, { exp }))).status).toBe(401);
  });

  test('§2.1 bearerGuard and the guard of the server accept RS256 [2.1-3]', async () => {
    await using rsa = await openSite({
      tokens: { accessTokenFormat: 'jwt' },
      signingKeys: { algorithm: 'RS256' },
    });
    const { access_token: signed } = (
      await tokenRequest(rsa, await rsa.client(), { grant_type: 'client_credentials' })
    ).body;
    expect(takeApart(signed).header.alg).toBe('RS256');
    expect((await call(apiOf(rsa, rsa.url), signed)).status).toBe(200);
    expect((await request(rsa.server).get('/api/me').set('Authorization', `Bearer ${signed}`)).status).toBe(
      200,
    );
  });
});
