import { beforeAll, describe, expect, test } from '@jest/globals';

import type { ClientWithSecret } from '../../../lib/index.js';
import { hostKey, signWith, takeApart, verifyByKeys } from '../../support/jwt.js';
import { refusal } from '../../support/refusal.js';
import { openSite } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';
import { callApi, clientRequest, obtainTokens, tokenRequest } from '../../support/tokens.js';

const { key, jwk } = hostKey();

describe('RFC 9068: JWT profile for access tokens', () => {
  let token: string;

  const site = siteFor({
    tokens: {
      accessTokenFormat: 'jwt',
      accessTokenClaims: ({ userId, grantType }) => ({
        roles: userId === undefined ? [] : ['admin'],
        grant: grantType,
        sub: 'somebody else',
        nbf: 1,
        cnf: { jkt: 'x' },
      }),
    },
    signingKeys: { keys: [jwk] },
  });
  const client = fixture(() => site.client());

  beforeAll(async () => {
    token = (await obtainTokens(site, client, { query: { scope: 'photos:read profile' } })).access_token;
  });

  const resign = (header: object, claims: object, by = key) =>
    signWith(by, { ...takeApart(token).header, ...header }, { ...takeApart(token).claims, ...claims });

  test('§2.1, §2.2 a JWT access token has typ at+jwt, the claims of the RFC and claims of the site [2.1-1] [2.1-2] [2.1-4] [2.1-5] [2.2-1] [2.2-2] [2.2-3] [2.2-4] [2.2-5] [2.2-7] [2.2-8] [2.2.3-1] [3-2]', async () => {
    const { header, claims } = await verifyByKeys(site, token, site.url);
    expect(header).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: 'of the host' });
    expect(claims).toEqual({
      iss: site.url,
      exp: expect.any(Number),
      aud: site.url,
      sub: 'ada',
      client_id: client.clientId,
      iat: expect.any(Number),
      jti: expect.any(String),
      scope: 'photos:read profile',
      roles: ['admin'],
      grant: 'authorization_code',
    });
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(3600);
  });

  test('§2.2 the sub of a JWT access token without a person is the client_id [2.2-6]', async () => {
    const { access_token: own } = (
      await tokenRequest(site, client, { grant_type: 'client_credentials', scope: 'profile' })
    ).body;
    expect((await verifyByKeys(site, own, site.url)).claims).toMatchObject({
      sub: client.clientId,
      client_id: client.clientId,
      scope: 'profile',
    });
    expect((await callApi(site, own)).body).not.toHaveProperty('userId');
  });

  test('§2.2 each JWT access token has a different jti [2.2-9]', async () => {
    const jtis = await Promise.all(
      [1, 2, 3].map(
        async () =>
          takeApart(
            (await tokenRequest(site, client, { grant_type: 'client_credentials' })).body.access_token,
          ).claims.jti,
      ),
    );
    expect(new Set(jtis).size).toBe(3);
  });

  test('RFC 7009, RFC 7662: a JWT is revoked and introspected like an opaque token', async () => {
    const resourceServer = await site.client({ introspection: true, grantTypes: ['client_credentials'] });
    const post = (path: string, by: ClientWithSecret, value: string) =>
      clientRequest(site, by, path, { token: value });
    const { access_token: mine } = await obtainTokens(site, client);
    expect((await post('/oauth/introspect', resourceServer, mine)).body).toMatchObject({
      active: true,
      sub: 'ada',
      client_id: client.clientId,
      aud: site.url,
      token_type: 'Bearer',
    });
    expect((await post('/oauth/revoke', client, mine)).status).toBe(200);
    expect((await post('/oauth/introspect', resourceServer, mine)).body).toEqual({ active: false });
    expect((await callApi(site, mine)).status).toBe(401);
  });

  test('the jti of a JWT access token cannot be used as a token', async () => {
    const { jti } = takeApart(token).claims;
    for (const guess of [`eas_at_${jti}`, `eas_rt_${jti}`, String(jti)])
      expect((await callApi(site, guess)).status).toBe(401);
  });

  // other forgeries are tested in attacks/jwt-headers
  test.each([
    ['the typ of another JWT', () => resign({ typ: 'JWT' }, {})],
    ['no typ', () => resign({ typ: undefined }, {})],
    ['no exp', () => resign({}, { exp: undefined })],
    ['the jti of no grant', () => resign({}, { jti: 'A'.repeat(44) })],
    [
      'another jti of the same grant',
      () => resign({}, { jti: `${takeApart(token).claims.jti?.slice(0, 22)}${'A'.repeat(22)}` }),
    ],
    ['a jti that is no string', () => resign({}, { jti: 5 as never })],
  ])('§4 a JWT with %s is refused', async (_name, make) => {
    expect(await callApi(site, await make())).toMatchObject(refusal(401, 'invalid_token'));
    expect((await callApi(site, token)).status).toBe(200);
  });

  test('the guard ignores claims of a signed copy beyond the grant', async () => {
    const wider = await resign(
      {},
      { scope: 'photos:write', client_id: 'another', sub: 'grace', aud: 'https://elsewhere.example' },
    );
    expect((await callApi(site, wider)).body).toMatchObject({
      scopes: ['photos:read', 'profile'],
      clientId: client.clientId,
      userId: 'ada',
    });
  });

  test('an exception in accessTokenClaims is answered server_error without a token', async () => {
    await using failing = await openSite({
      tokens: {
        accessTokenFormat: 'jwt',
        accessTokenClaims: () => {
          throw new Error('down');
        },
      },
    });
    const confidential = await failing.client();
    expect(await tokenRequest(failing, confidential, { grant_type: 'client_credentials' })).toMatchObject(
      refusal(500, 'server_error'),
    );
    expect(failing.errors.at(-1)?.detail).toBe('tokens.accessTokenClaims threw');
  });
});
