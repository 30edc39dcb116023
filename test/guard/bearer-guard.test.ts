import { describe, expect, test } from '@jest/globals';
import express, { type Express } from 'express';
import request from 'supertest';

import { bearerGuard, type BearerGuardOptions, errorHandler } from '../../lib/guard.js';
import { letPass } from '../support/clock.js';
import { forge, hostKey, signWith, takeApart } from '../support/jwt.js';
import { openServer } from '../support/open-server.js';
import { refusal } from '../support/refusal.js';
import { openSite } from '../support/site.js';
import { fixture, siteFor } from '../support/site-for.js';
import { clientRequest, obtainTokens, tokenRequest } from '../support/tokens.js';

const PHOTOS = 'https://api.photos.example';
const ALBUMS = 'https://albums.example';
const { key, jwk } = hostKey();

describe('bearerGuard: a resource server in a process of its own', () => {
  let requests: string[] = [];
  const errors: (string | undefined)[] = [];

  const site = siteFor({
    before: (app) =>
      app.use((req, _res, next) => {
        requests.push(req.path);
        next();
      }),
    resources: { [PHOTOS]: { accessTokenFormat: 'jwt' }, [ALBUMS]: {} },
    signingKeys: { keys: [jwk] },
    tokens: { accessTokenClaims: () => ({ plan: 'gold' }) },
  });
  const client = fixture(() => site.client());
  const resourceServer = fixture(() =>
    site.client({ introspection: true, grantTypes: ['client_credentials'] }),
  );

  const api = (options: Partial<BearerGuardOptions> = {}): Express => {
    const guard = bearerGuard({
      issuer: site.url,
      resource: PHOTOS,
      onError: ({ detail }) => errors.push(detail),
      ...options,
    });
    const app = express();
    app.get('/me', guard(), (req, res) => void res.json(req.auth));
    app.get('/photos', guard('photos:read', 'photos:write'), (req, res) => void res.json(req.auth));
    app.get('/any', guard.any('photos:read', 'profile'), (req, res) => void res.json(req.auth));
    app.get('/maybe', guard({ optional: true }), (req, res) => void res.json(req.auth ?? { nobody: true }));
    return app.use(errorHandler);
  };
  const asking = (options: Partial<BearerGuardOptions> = {}) =>
    api({
      resource: ALBUMS,
      clientId: resourceServer.clientId,
      clientSecret: resourceServer.clientSecret ?? '',
      ...options,
    });
  const call = (app: Express, token: string, path = '/me') =>
    request(app).get(path).set('Authorization', `Bearer ${token}`);
  const tokens = (resource: string | undefined, scope?: string) =>
    obtainTokens(site, client, { query: { resource, scope } });
  const requested = (path: string) => requests.filter((each) => each === path).length;

  test('bearerGuard verifies JWTs by the published keys, without further requests', async () => {
    const app = api();
    const [one, two] = await Promise.all([tokens(PHOTOS), tokens(PHOTOS)]);
    requests = [];
    const response = await call(app, one.access_token);
    for (const { access_token } of [one, two])
      expect((await call(app, access_token, '/photos')).status).toBe(200);
    expect(response.body).toEqual({
      token: one.access_token,
      kind: 'app',
      clientId: client.clientId,
      userId: 'ada',
      scopes: one.scope.split(' '),
      expiresAt: expect.any(Number),
      resource: `${PHOTOS}/`,
      extra: { plan: 'gold' },
    });
    expect(requests).toEqual(['/.well-known/oauth-authorization-server', '/oauth/jwks']);
  });

  test('bearerGuard sets no userId for a client that acts for itself (RFC 9068 §2.2)', async () => {
    const { body } = await tokenRequest(site, resourceServer, {
      grant_type: 'client_credentials',
      resource: PHOTOS,
    });
    const response = await call(api(), body.access_token);
    expect(response.body).toMatchObject({ clientId: resourceServer.clientId });
    expect(response.body).not.toHaveProperty('userId');
  });

  test('bearerGuard has the scopes, any, optional and challenges of oauth.guard (RFC 6750 §3)', async () => {
    const app = api();
    const { access_token: token } = await tokens(PHOTOS, 'photos:read');
    const refused = await call(app, token, '/photos');
    expect(refused).toMatchObject({ status: 403, body: { error: 'insufficient_scope' } });
    expect(refused.headers['www-authenticate']).toBe(
      'Bearer realm="api.photos.example", error="insufficient_scope", error_description="the access token needs the scope photos:read photos:write", scope="photos:read photos:write", resource_metadata="https://api.photos.example/.well-known/oauth-protected-resource"',
    );
    expect((await call(app, token, '/any')).status).toBe(200);
    expect((await request(app).get('/maybe')).body).toEqual({ nobody: true });
    expect((await call(app, 'nonsense', '/maybe')).status).toBe(401);
    expect((await request(app).get('/me')).headers['www-authenticate']).not.toContain('error');
    expect((await call(app, 'two words')).status).toBe(401);
  });

  // the other ways are in rfc/rfc9068/resource-server and attacks/jwt-headers
  test.each<[string, object]>([
    ['issued in the future', { iat: Math.floor(Date.now() / 1000) + 600 }],
    ['without client_id', { client_id: undefined }],
    ['with a scope that is not text', { scope: ['photos:read'] }],
  ])('RFC 9068 §4 bearerGuard refuses a JWT: %s', async (_name, change) => {
    const { header, claims } = takeApart((await tokens(PHOTOS)).access_token);
    const app = api();
    expect((await call(app, await signWith(key, header, claims))).status).toBe(200);
    expect(await call(app, await signWith(key, header, { ...claims, ...change }))).toMatchObject(
      refusal(401, 'invalid_token'),
    );
  });

  test('bearerGuard fetches the keys once for a flood of unknown key ids', async () => {
    const { access_token: token } = await tokens(PHOTOS);
    const app = api();
    await call(app, token);
    requests = [];
    const { header, claims } = takeApart(token);
    const guess = async (kid: string, iat = claims.iat) =>
      call(app, await signWith(key, { ...header, kid }, { ...claims, iat }));
    for (let index = 0; index < 20; index += 1)
      // a key may be younger than the fetched keys, and a client throws away a token answered 401
      expect(await guess(`kid ${index}`)).toMatchObject({ status: 503, headers: { 'retry-after': '30' } });
    expect(requested('/oauth/jwks')).toBe(0);
    // a token older than the fetched keys has no new key
    expect((await guess('retired', Number(claims.iat) - 120)).status).toBe(401);
    expect((await call(app, token)).status).toBe(200);
    letPass(31);
    expect((await guess('nobody')).status).toBe(401);
    expect(requested('/oauth/jwks')).toBe(1);
  });

  test('bearerGuard introspects opaque tokens, and caches the result for a while (RFC 7662 §4)', async () => {
    const app = asking();
    const { access_token: token } = await tokens(ALBUMS, 'profile');
    requests = [];
    const answers = [
      await call(app, token),
      await call(app, token, '/any'),
      await call(app, token, '/photos'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 403]);
    expect(answers[0]?.body).toEqual({
      token,
      kind: 'app',
      clientId: client.clientId,
      userId: 'ada',
      scopes: ['profile'],
      expiresAt: expect.any(Number),
      resource: `${ALBUMS}/`,
    });
    expect(requested('/oauth/introspect')).toBe(1);
  });

  test('bearerGuard refuses a revoked opaque token after cacheMaxAge, at 0 immediately', async () => {
    const { access_token: token } = await tokens(ALBUMS);
    const [forgetful, other] = [asking({ cacheMaxAge: 0 }), asking()];
    for (const app of [forgetful, other]) expect((await call(app, token)).status).toBe(200);
    await clientRequest(site, client, '/oauth/revoke', { token });
    expect((await call(forgetful, token)).status).toBe(401);
    expect((await call(other, token)).status).toBe(200);
    letPass(30);
    expect((await call(other, token)).status).toBe(401);
  });

  test('bearerGuard refuses an opaque token for another resource or none, and a refresh token', async () => {
    const app = asking({ resource: 'https://third.example' });
    const forAlbums = await tokens(ALBUMS);
    for (const token of [forAlbums.access_token, (await tokens(undefined)).access_token])
      expect((await call(app, token)).status).toBe(401);
    expect((await call(asking(), forAlbums.refresh_token)).status).toBe(401);
    expect((await call(api({ resource: ALBUMS }), forAlbums.access_token)).status).toBe(401);
    expect(errors.at(-1)).toContain('no clientId and clientSecret');
  });

  test('bearerGuard answers 503 if its server is away, has another issuer or refuses it', async () => {
    const { access_token: jwt } = await tokens(PHOTOS);
    const { access_token: opaque } = await tokens(ALBUMS);
    const fake = express();
    await using server = await openServer(fake);
    const { url } = server;
    const metadata: Record<string, unknown> = { issuer: 'https://somebody.example' };
    fake.get('/.well-known/oauth-authorization-server', (_req, res) => void res.json(metadata));
    fake.get('/jwks', (_req, res) => void res.status(500).send('down'));
    fake.get('/slow', () => undefined);
    fake.get('/nonsense', (_req, res) => void res.json({ keys: 'none' }));
    const expect503 = async (app: Express, token: string) => {
      const response = await call(app, token, '/maybe');
      expect(response).toMatchObject({ status: 503, body: { error: 'temporarily_unavailable' } });
      expect(response.headers['www-authenticate']).toBeUndefined();
    };
    await expect503(api({ issuer: url }), jwt);
    metadata.issuer = url;
    for (const path of ['/jwks', '/slow', '/nonsense']) {
      metadata.jwks_uri = `${url}${path}`;
      await expect503(api({ issuer: url, timeout: 200 }), jwt);
    }
    await expect503(asking({ clientSecret: 'wrong' }), opaque);
    await server.close();
    await expect503(api({ issuer: url }), jwt);
    await expect503(asking({ issuer: url }), opaque);
  });

  test('RFC 7662 §2.2 bearerGuard lets nobody in if an introspection lacks a required member', async () => {
    const fake = express();
    await using server = await openServer(fake);
    const { url } = server;
    const right = {
      active: true,
      token_type: 'Bearer',
      aud: [ALBUMS, 'https://other.example'],
      iss: url,
      client_id: 'a',
      exp: Math.floor(Date.now() / 1000) + 60,
    };
    let answer: Record<string, unknown> = right;
    fake.get(
      '/.well-known/oauth-authorization-server',
      (_req, res) => void res.json({ issuer: url, introspection_endpoint: `${url}/introspect` }),
    );
    fake.post('/introspect', (_req, res) => void res.json(answer));
    const app = asking({ issuer: url, cacheMaxAge: 0 });
    expect((await call(app, 'token')).status).toBe(200);
    for (const wrong of [
      { active: 'true' },
      { token_type: undefined },
      { aud: undefined },
      { aud: `${ALBUMS}.attacker.example` },
      { iss: 'https://other.example' },
      { client_id: undefined },
      { exp: undefined },
      { exp: 1 },
    ]) {
      answer = { ...right, ...wrong };
      expect((await call(app, 'token')).status).toBe(401);
    }
  });

  test('bearerGuard works again as soon as the server is back', async () => {
    let isDown = true;
    const gate = express().use((_req, res, next) => (isDown ? void res.status(502).end() : next()));
    await using other = await openSite({
      database: site.database,
      before: (app) => app.use(gate),
      tokens: { accessTokenFormat: 'jwt' },
    });
    const app = api({ issuer: other.url, resource: other.url });
    const token = forge({ alg: 'ES256', typ: 'at+jwt', kid: 'x' }, {}, 'AAAA');
    expect((await call(app, token)).status).toBe(503);
    isDown = false;
    const { body } = await tokenRequest(other, await other.client(), { grant_type: 'client_credentials' });
    expect((await call(app, body.access_token)).status).toBe(200);
  });

  test('bearerGuard throws at the start on wrong options, with the cure', () => {
    expect(() => bearerGuard({ issuer: 'photos' })).toThrow('issuer must be a URL');
    expect(() => bearerGuard({ issuer: 'http://photos.example' })).toThrow('write https:');
    expect(() => bearerGuard({ issuer: 'https://photos.example', clientId: 'a' })).toThrow(
      'both clientId and clientSecret',
    );
    const clientKey = { kty: 'OKP', crv: 'Ed25519', x: 'AA', d: 'AA' };
    expect(() => bearerGuard({ issuer: 'https://photos.example', clientKey })).toThrow('both clientId');
    const both = { clientId: 'a', clientSecret: 'b', clientKey };
    expect(() => bearerGuard({ issuer: 'https://photos.example', ...both })).toThrow('write one of them');
    const { d: _private, ...publicPart } = clientKey;
    expect(() =>
      bearerGuard({ issuer: 'https://photos.example', clientId: 'a', clientKey: publicPart }),
    ).toThrow('clientKey must be a private key');
    expect(() => bearerGuard({ issuer: 'https://photos.example', ressource: 'x' } as never)).toThrow(
      "unknown option 'ressource'; did you mean 'resource'",
    );
    const guard = bearerGuard({ issuer: 'https://photos.example', scopes: ['a'] });
    expect(() => guard('b')).toThrow("'b' is not among the scopes");
    expect(() => guard({ resource: 'https://other.example' })).toThrow('not among the resources');
  });
});
