import { generateKeyPairSync } from 'node:crypto';

import { beforeAll, describe, expect, test } from '@jest/globals';
import express, { type Express } from 'express';
import request, { type Response } from 'supertest';

import { bearerGuard, type BearerGuardOptions, errorHandler } from '../../../lib/guard.js';
import { letPass } from '../../support/clock.js';
import { decideOn, deviceClient, openDeviceSite, personOf, poll, startDevice } from '../../support/device.js';
import { createProofKey, prove } from '../../support/dpop.js';
import { hostKey, signWith } from '../../support/jwt.js';
import { openid } from '../../support/openid.js';
import { KEY_SECRET, startLike } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';
import { callApi, obtainTokens, tokenRequest } from '../../support/tokens.js';

const JWT_API = 'https://jwt.photos.example';
const OPAQUE_API = 'https://opaque.photos.example';
const MCP = 'https://photos.example/mcp';
const { key, jwk } = hostKey();
/** The signing key for ID tokens. */
const rsa = {
  ...generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' }),
  alg: 'RS256',
};

/** The login of each person at the site. */
let login: { acr?: string; at?: number } = {};

const challengesOf = ({ headers }: Response) => String(headers['www-authenticate']);
const tokenFor = async (resource: string) =>
  (await obtainTokens(site, client, { query: { resource } })).access_token;
const call = (app: Express, token: string, path = '/strong') =>
  request(app).get(path).set('Authorization', `Bearer ${token}`);

const site = siteFor({
  dpop: true,
  openid,
  resources: {
    [JWT_API]: { accessTokenFormat: 'jwt' },
    [OPAQUE_API]: {},
    [MCP]: { scopes: ['photos:read', 'photos:write'] },
  },
  signingKeys: { keys: [jwk, rsa] },
  stepUp: { acrValues: ['mfa', 'pwd'] },
  people: { authentication: () => login },
});
const client = fixture(() => site.client({ introspection: true }));

beforeAll(() => {
  site.app.get('/strong', site.oauth.guard({ acr: ['mfa'] }), (_req, res) => void res.json({}));
  site.app.use(
    '/mcp',
    site.oauth.mcp({
      resource: MCP,
      scopes: ['photos:read'],
      tools: { add: ['photos:write'], pay: { scopes: ['photos:write'], maxAge: 300, acr: ['mfa'] } },
      handle: (req, res) => void res.json(req.auth),
    }),
  );
  site.app.use(site.oauth.errorHandler);
});

describe('RFC 9470 bearerGuard', () => {
  const api = (resource: string, options: Partial<BearerGuardOptions> = {}): Express => {
    const guard = bearerGuard({ issuer: site.url, resource, onError: () => undefined, ...options });
    const app = express();
    app.get('/new', guard({ maxAge: 300 }), (req, res) => void res.json(req.auth));
    app.get('/strong', guard({ acr: ['mfa'] }), (req, res) => void res.json(req.auth));
    app.get('/any', guard(), (req, res) => void res.json(req.auth));
    return app.use(errorHandler);
  };
  const opaque = () =>
    api(OPAQUE_API, { clientId: client.clientId, clientSecret: client.clientSecret ?? '' });

  test.each([
    ['§6.1 a JWT', JWT_API, () => api(JWT_API)],
    ['§6.2 an opaque token', OPAQUE_API, opaque],
  ])('%s is accepted only with a sufficient login [3-1] [6.1-1] [6.2-1]', async (...of) => {
    const [, resource, make] = of;
    const app = make();
    login = { at: Date.now(), acr: 'pwd' };
    const weak = await tokenFor(resource);
    expect((await call(app, weak, '/new')).status).toBe(200);
    const refused = await call(app, weak);
    expect(refused.status).toBe(401);
    expect(challengesOf(refused)).toMatch(/error="insufficient_user_authentication".* acr_values="mfa"/);
    login = { at: Date.now() - 301_000, acr: 'mfa' };
    const old = await tokenFor(resource);
    expect((await call(app, old)).body).toMatchObject({ acr: 'mfa', authTime: expect.any(Number) });
    expect(challengesOf(await call(app, old, '/new'))).toMatch(/max_age="300"/);
  });

  test('a cached token is refused once its login is older than maxAge [3-1]', async () => {
    login = { at: Date.now(), acr: 'mfa' };
    const app = api(JWT_API);
    const token = await tokenFor(JWT_API);
    expect((await call(app, token, '/new')).status).toBe(200);
    letPass(305);
    expect((await call(app, token, '/new')).status).toBe(401);
    expect((await call(app, token)).status).toBe(200);
  });

  const jwtWith = (claims: object) => {
    const now = Math.floor(Date.now() / 1000);
    const { url: iss } = site;
    const { clientId: client_id } = client;
    const rest = { iss, aud: JWT_API, sub: 'ada', client_id, iat: now, exp: now + 600, jti: 'x' };
    return signWith(key, { typ: 'at+jwt', alg: 'ES256', kid: jwk.kid }, { ...rest, ...claims });
  };

  test.each([
    ['with a login in the future is refused', 3600, 401],
    ['with a clock a few seconds ahead is accepted', 3, 200],
    ['with a clock ahead by clockTolerance is accepted', 25, 200],
    ['with a clock further ahead is refused', 90, 401],
    ['without a login is refused', undefined, 401],
  ])('§3 a JWT %s [3-3]', async (_what, ahead, status) => {
    const token = await jwtWith(
      ahead === undefined ? {} : { auth_time: Math.floor(Date.now() / 1000) + ahead },
    );
    expect((await call(api(JWT_API), token, '/new')).status).toBe(status);
  });

  test.each([{ auth_time: 'today' }, { acr: 1 }, { amr: 'pwd' }, { auth_time: null }])(
    'a JWT with the login claims %j is refused',
    async (claims) => {
      const response = await call(api(JWT_API), await jwtWith(claims), '/any');
      expect(response.status).toBe(401);
      expect(challengesOf(response)).toMatch(/invalid_token/);
    },
  );
});

describe('RFC 9470 other guards and grants', () => {
  test('§3 the DPoP challenge has the same error and acr_values [3-6]', async () => {
    login = { at: Date.now(), acr: 'pwd' };
    const proofKey = await createProofKey();
    const context = tokenRequest(site, client, { grant_type: 'client_credentials' });
    const { access_token } = (
      await context.set('DPoP', await prove(proofKey, 'POST', `${site.url}/oauth/token`))
    ).body as { access_token: string };
    const response = await request(site.server)
      .get('/strong')
      .set('Authorization', `DPoP ${access_token}`)
      .set('DPoP', await prove(proofKey, 'GET', `${site.url}/strong`, { accessToken: access_token }));
    expect(response.status).toBe(401);
    const [, dpop = ''] = challengesOf(response).split('DPoP ');
    expect(dpop).toMatch(/error="insufficient_user_authentication".* acr_values="mfa"/);
  });

  test('a tool of oauth.mcp may need a stronger login, which is checked after its scopes [3-1] [3-4]', async () => {
    login = { at: Date.now(), acr: 'pwd' };
    const tool = (token: string, name: string) =>
      request(site.server)
        .post('/mcp')
        .set('Authorization', `Bearer ${token}`)
        .send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name } });
    const small = (await obtainTokens(site, client, { query: { resource: MCP, scope: 'photos:read' } }))
      .access_token;
    const scope = await tool(small, 'pay');
    expect(scope.status).toBe(403);
    expect(challengesOf(scope)).toMatch(/insufficient_scope/);
    const weak = await tokenFor(MCP);
    expect((await tool(weak, 'add')).status).toBe(200);
    const refused = await tool(weak, 'pay');
    expect(refused.status).toBe(401);
    expect(challengesOf(refused)).toMatch(
      /insufficient_user_authentication.*acr_values="mfa", max_age="300"/,
    );
    login = { at: Date.now(), acr: 'mfa' };
    expect((await tool(await tokenFor(MCP), 'pay')).status).toBe(200);
  });

  test('the access token of a sign-in has the acr of the login [5-4]', async () => {
    login = { at: Date.now(), acr: 'mfa' };
    const tokens = await obtainTokens(site, client, { query: { scope: 'openid photos:read' } });
    expect((await callApi(site, tokens.access_token)).body).toMatchObject({ acr: 'mfa' });
    expect((await callApi(site, tokens.access_token, '/strong')).status).toBe(200);
  });

  test('a token of a device has the login of the person who allowed the device', async () => {
    await using host = await openDeviceSite({
      stepUp: { acrValues: ['mfa'] },
      people: { authentication: () => ({ acr: 'mfa', at: new Date() }) },
    });
    host.app.get(
      '/strong',
      host.oauth.guard({ acr: ['mfa'], maxAge: 300 }),
      (_req, res) => void res.json({}),
    );
    const tv = await deviceClient(host);
    const started = await startDevice(host, tv);
    await decideOn(await personOf(host), started, { decision: 'allow' });
    const { access_token } = (await poll(host, tv, started)).body as { access_token: string };
    expect((await callApi(host, access_token, '/strong')).status).toBe(200);
  });

  test.each<[string, Record<string, unknown>, RegExp]>([
    ['maxAge without stepUp', { maxAge: 300 }, /maxAge.*write stepUp: true/],
    ['acr without stepUp', { acr: ['mfa'] }, /acr.*stepUp/],
    ['a maxAge of 0', { stepUp: true, maxAge: 0 }, /maxAge/],
    [
      'an acr that is not among acrValues',
      { stepUp: { acrValues: ['pwd'] }, people: { authentication: () => ({}) }, acr: ['mfa'] },
      /'mfa' is not among stepUp.acrValues/,
    ],
    [
      'an acr with a space',
      { stepUp: { acrValues: ['a b'] }, people: { authentication: () => ({}) } },
      /stepUp\.acrValues/,
    ],
    [
      'acrValues without people.authentication',
      { stepUp: { acrValues: ['mfa'] } },
      /stepUp\.acrValues.*write people: { authentication/,
    ],
  ])('%s throws at startup', (_what, { maxAge, acr, ...options }: Record<string, unknown>, message) => {
    const start = () => {
      const issuer = 'https://options.example';
      const signingKeys = { encryptionSecret: KEY_SECRET };
      const oauth = startLike(site, { issuer, signingKeys, ...options });
      oauth.guard({ ...(maxAge !== undefined && { maxAge }), ...(acr !== undefined && { acr }) } as never);
    };
    expect(start).toThrow(message);
  });
});
