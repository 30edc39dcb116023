import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { describe, expect, test } from '@jest/globals';
import express from 'express';
import request from 'supertest';

import { bearerGuard, errorHandler } from '../../../lib/guard.js';
import { letPass } from '../../support/clock.js';
import { attackerKey, forge, hostKey, signWith, takeApart } from '../../support/jwt.js';
import { fixture, siteFor } from '../../support/site-for.js';
import { clientRequest, obtainTokens } from '../../support/tokens.js';

const PHOTOS = 'https://api.photos.example';

describe('RFC 7662: the state of a token', () => {
  const { key, jwk } = hostKey();

  const site = siteFor(() => ({
    resources: { [PHOTOS]: { accessTokenFormat: 'jwt' } },
    signingKeys: { keys: [jwk] },
  }));
  const client = fixture(() => site.client());
  const resourceServer = fixture(() =>
    site.client({ introspection: true, grantTypes: ['client_credentials'] }),
  );

  const introspect = (token: string, more: object = {}) =>
    clientRequest(site, resourceServer, '/oauth/introspect', { token, ...more });

  test('§2.1 a wrong or unknown token_type_hint does not prevent the introspection [2.1-2]', async () => {
    const tokens = await obtainTokens(site, client);
    for (const [token, hint] of [
      [tokens.access_token, 'refresh_token'],
      [tokens.refresh_token, 'access_token'],
      [tokens.access_token, 'no_such_type'],
    ] as const) {
      expect((await introspect(token, { token_type_hint: hint })).body.active).toBe(true);
    }
  });

  test('§4 an expired token is inactive, even while it is stored [4-1] [4-2]', async () => {
    const [opaque, jwt] = [
      await obtainTokens(site, client),
      await obtainTokens(site, client, { query: { resource: PHOTOS } }),
    ];
    for (const { access_token: token } of [opaque, jwt])
      expect((await introspect(token)).body.active).toBe(true);
    await site.database.collection('oauth_grants').updateMany(
      {},
      {
        $set: {
          'accessTokens.$[].expiresAt': new Date(Date.now() - 1000),
          'refreshToken.expiresAt': new Date(Date.now() - 1000),
        },
      },
    );
    for (const token of [opaque.access_token, opaque.refresh_token, jwt.access_token])
      expect((await introspect(token)).body).toEqual({ active: false });
  });

  test('§4 a JWT with a wrong signature, typ or issuer is inactive [4-5]', async () => {
    const { access_token: token } = await obtainTokens(site, client, { query: { resource: PHOTOS } });
    const { header, claims } = takeApart(token);
    const copies = [
      forge({ ...header, alg: 'none' }, claims),
      `${token.split('.').slice(0, 2).join('.')}.`,
      await signWith(attackerKey(), header, claims),
      await signWith(key, { ...header, typ: 'JWT' }, claims),
      await signWith(key, header, { ...claims, iss: 'https://attacker.example' }),
    ];
    for (const copy of copies) expect((await introspect(copy)).body).toEqual({ active: false });
    // the copies differ from the token only as intended: an exact copy is active
    expect((await introspect(await signWith(key, header, claims))).body.active).toBe(true);
  });

  test('§4 bearerGuard caches no introspection response beyond its exp [4-13]', async () => {
    const fake = express();
    const server = createServer(fake);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const exp = Math.floor(Date.now() / 1000) + 60;
      let requested = 0;
      fake.get(
        '/.well-known/oauth-authorization-server',
        (_req, res) => void res.json({ issuer: url, introspection_endpoint: `${url}/introspect` }),
      );
      fake.post('/introspect', (_req, res) => {
        requested += 1;
        res.json(
          requested === 1
            ? { active: true, token_type: 'Bearer', aud: PHOTOS, client_id: 'a', exp }
            : { active: false },
        );
      });
      const guard = bearerGuard({
        issuer: url,
        resource: PHOTOS,
        clientId: 'api',
        clientSecret: 'secret',
        cacheMaxAge: 3600,
        onError: () => undefined,
      });
      const app = express()
        .get('/', guard(), (_req, res) => void res.end())
        .use(errorHandler);
      const call = async () => (await request(app).get('/').set('Authorization', 'Bearer token')).status;
      expect([await call(), await call(), requested]).toEqual([200, 200, 1]);
      letPass(exp - Date.now() / 1000 + 0.05);
      expect([await call(), requested]).toEqual([401, 2]);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});
