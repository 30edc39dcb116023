import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import express, { type RequestHandler } from 'express';
import { SignJWT } from 'jose';
import request from 'supertest';

import { bearerGuard } from '../../lib/guard.js';
import type { ClientWithSecret } from '../../lib/index.js';
import { logInPerson } from '../support/person.js';
import { KEY_SECRET, openSite } from '../support/site.js';
import { siteFor } from '../support/site-for.js';
import { basic, callApi, obtainTokens, tokenRequest } from '../support/tokens.js';

/** The site's user and the user in a session's `req.user` differ in `by`. */
const people = new Map<string, unknown>();
let isLoggedIn = true;
let client: ClientWithSecret;

const show: RequestHandler = (req, res) => void res.json({ user: req.user, auth: req.auth?.userId });
/** Tokens of the site, which know their user. */
const ownTokens: RequestHandler = (req, res, next) => {
  if (!/own-token|eyJ/.test(req.headers.authorization ?? '')) return void res.status(418).end();
  req.user = { id: 'by a token of the site' };
  next();
};

/** API keys of the site: in a separate header, or as a Bearer token of any characters. */
const ownKeys: RequestHandler = (req, res, next) => {
  const key = req.get('X-API-Key') ?? req.get('Authorization');
  if (key === 'k' || key === 'Bearer {own key}') {
    req.user = { id: 'by a key of the site' };
    return next();
  }
  if (req.query.as === 'error') return next(Object.assign(new Error('no key'), { status: 401 }));
  if (req.query.as === 'challenge') res.set('WWW-Authenticate', 'ApiKey');
  res.status(req.query.as === 'forbidden' ? 403 : 401).end();
};

const site = siteFor({
  people: { find: (id) => Promise.resolve(people.get(id)), isLoggedIn: () => isLoggedIn },
  tokens: { accessTokenFormat: 'opaque' },
  signingKeys: { encryptionSecret: KEY_SECRET },
});
beforeAll(async () => {
  const { app, oauth } = site;
  app.get('/user', oauth.guard({ scopes: ['photos:read'], user: true }), show);
  app.get('/plain', oauth.guard('photos:read'), show);
  app.get('/maybe', oauth.guard({ user: true, optional: true }), show);
  app.all('/shared', oauth.guard('photos:read').orSession, show);
  app.get('/shared/any', oauth.guard.any('photos:read', 'profile').orSession, show);
  app.get('/shared/maybe', oauth.guard({ optional: true }).orSession, show);
  app.get('/others', oauth.guard({ user: true, orElse: ownTokens }), show);
  app.get('/others/shared', oauth.guard({ orElse: ownTokens }).orSession, show);
  app.get(
    '/others/broken',
    oauth.guard({ orElse: (() => Promise.reject(new Error('of the host'))) as never }),
    show,
  );
  app.get('/keys', oauth.guard({ scopes: ['photos:read'], orElse: ownKeys }), show);
  app.get('/keys/shared', oauth.guard({ orElse: ownKeys }).orSession, show);
  app.get('/others/refused', oauth.guard({ orElse: (_req, res) => void res.status(401).end() }), show);
  app.use(oauth.errorHandler);
  client = await site.client();
});
beforeEach(() => {
  isLoggedIn = true;
  people.clear();
  people.set('ada', { id: 'ada', by: 'people.find' });
});

const tokenOf = async (as: string, scope = 'photos:read') =>
  (await obtainTokens(site, client, { as, query: { scope } })).access_token;
const ownToken = async () =>
  (await tokenRequest(site, client, { grant_type: 'client_credentials' })).body.access_token as string;
const errorsOf = () => site.errors.splice(0).map(({ error, detail }) => `${error}: ${detail}`);

describe('guard({ user: true })', () => {
  test("guard({ user: true }) sets req.user to the token's user despite a session", async () => {
    const token = await tokenOf('ada');
    const grace = await logInPerson(site, 'grace');
    const asGrace = (path: string) => grace.agent.get(path).set('Authorization', `Bearer ${token}`);
    expect((await asGrace('/user')).body).toEqual({ user: { id: 'ada', by: 'people.find' }, auth: 'ada' });
    expect((await asGrace('/plain')).body).toEqual({
      user: { id: 'grace', name: 'Name of grace' },
      auth: 'ada',
    });
    expect((await grace.agent.get('/maybe')).body).toEqual({ user: { id: 'grace', name: 'Name of grace' } });
    // the session is unchanged
    expect((await grace.agent.get('/shared')).body.user.id).toBe('grace');
  });

  test.each([null, undefined, false])(
    'guard({ user: true }) answers 401 invalid_token for a deleted user (%s)',
    async (gone) => {
      const token = await tokenOf('ada');
      people.set('ada', gone);
      errorsOf();
      const response = await callApi(site, token, '/user');
      expect(response).toMatchObject({ status: 401, body: { error: 'invalid_token' } });
      expect(response.headers['www-authenticate']).toMatch(
        /^Bearer .*error="invalid_token".*scope="photos:read"/,
      );
      expect(errorsOf()).toEqual(['invalid_token: people.find gave nobody for ada']);
      expect((await callApi(site, token, '/maybe')).status).toBe(401);
      expect((await callApi(site, token, '/plain')).status).toBe(200);
    },
  );

  test('guard({ user: true }) answers 403 to a client that acts for itself', async () => {
    const response = await callApi(site, await ownToken(), '/user');
    expect(response).toMatchObject({ status: 403, body: { error: 'insufficient_scope' } });
  });

  test('guard({ user: true }) looks up no user for a token with too few scopes', async () => {
    const token = await tokenOf('ada', 'profile');
    people.set('ada', null);
    expect((await callApi(site, token, '/user')).status).toBe(403);
  });

  test('guard({ user: true }) answers 500 if people.find throws, whatever its status', async () => {
    const token = await tokenOf('ada');
    people.set('ada', Promise.reject(Object.assign(new Error('away'), { status: 404 })));
    errorsOf();
    expect((await callApi(site, token, '/user')).status).toBe(500);
    expect(errorsOf()).toEqual(['server_error: people.find threw']);
  });

  test('guard({ user: true }), orSession and strategy throw without people.find', async () => {
    await using without = await openSite();
    for (const write of [
      () => without.oauth.guard({ user: true }),
      () => without.oauth.guard().orSession,
      () => without.oauth.guard.strategy(),
      () => bearerGuard({ issuer: 'https://photos.example' })({ user: true }),
    ])
      expect(write).toThrow(/^guard: .*write people: { find: \(id\) => User\.findById\(id\) }$/);
    expect(() => without.oauth.guard({ usr: true } as never)).toThrow("did you mean 'user'?");
  });
});

describe('guard(…).orSession', () => {
  test('orSession lets in a session without a token, and a token without a session', async () => {
    const ada = await logInPerson(site);
    expect((await ada.agent.get('/shared')).body).toEqual({ user: { id: 'ada', name: 'Name of ada' } });
    expect((await callApi(site, await tokenOf('ada'), '/shared')).body).toEqual({
      user: { id: 'ada', by: 'people.find' },
      auth: 'ada',
    });
    expect((await callApi(site, await tokenOf('ada', 'profile'), '/shared/any')).status).toBe(200);
  });

  test("orSession answers 401 with the guard's challenge without token and session", async () => {
    const { status, headers } = await request(site.server).get('/shared');
    expect(status).toBe(401);
    expect(headers['www-authenticate']).toMatch(
      /^Bearer realm="[^"]+", scope="photos:read", resource_metadata/,
    );
    expect((await request(site.server).get('/shared/maybe')).body).toEqual({});
  });

  test.each([
    ['a wrong token', 'Bearer eas_at_wrong', 401],
    ['a malformed token', 'Bearer one:two', 401],
    ['two tokens', 'Bearer one two', 401],
    ['no token', 'Bearer', 401],
    ['the user name and password of a form elsewhere', basic('ada', 'guess'), 401],
    ['another scheme', 'Token abc', 401],
    ['an empty header', '', 401],
  ])('attack: orSession refuses %s despite a session', async (_what, authorization, status) => {
    const ada = await logInPerson(site);
    for (const path of ['/shared', '/shared/maybe'])
      expect((await ada.agent.get(path).set('Authorization', authorization)).status).toBe(status);
  });

  test('attack: orSession refuses a token of another user, of a client or with too few scopes', async () => {
    const grace = await logInPerson(site, 'grace');
    const call = (token: string) => grace.agent.get('/shared').set('Authorization', `Bearer ${token}`);
    expect((await call(await tokenOf('ada', 'profile'))).status).toBe(403);
    expect((await call(await ownToken())).status).toBe(403);
    expect((await call(await tokenOf('ada'))).body.user).toEqual({ id: 'ada', by: 'people.find' });
    people.set('ada', null);
    expect((await call(await tokenOf('ada'))).status).toBe(401);
  });

  test('orSession refuses a session that the site does not count as a login', async () => {
    const ada = await logInPerson(site);
    isLoggedIn = false;
    for (const path of ['/shared', '/shared/maybe']) expect((await ada.agent.get(path)).status).toBe(401);
  });

  test('a CSRF check behind orSession tells sessions from tokens by req.auth', async () => {
    const refused: RequestHandler = (_req, res) => void res.status(403).send('no CSRF token');
    site.app.post(
      '/checked',
      site.oauth.guard('photos:read').orSession,
      (req, res, next) => (req.auth ? next() : refused(req, res, next)),
      show,
    );
    site.app.use(site.oauth.errorHandler);
    const ada = await logInPerson(site);
    const token = await tokenOf('ada');
    expect((await ada.agent.post('/checked')).status).toBe(403);
    expect((await ada.agent.post('/checked').set('Authorization', 'Bearer x')).status).toBe(401);
    expect((await ada.agent.post('/checked').set('Authorization', `Bearer ${token}`)).status).toBe(200);
  });
});

describe('guard({ orElse }) for tokens of the site in the Authorization header', () => {
  const jwt = (header: object, claims: object) =>
    new SignJWT({ ...claims })
      .setProtectedHeader({ alg: 'HS256', ...header })
      .sign(new TextEncoder().encode('of the site, and of nobody else at all'));
  const call = (token: string, path = '/others') => callApi(site, token, path);

  test('orElse gets the tokens of the site, and none of this server', async () => {
    const handedOver = { user: { id: 'by a token of the site' } };
    expect((await call('own-token')).body).toEqual(handedOver);
    expect((await call(await jwt({ typ: 'JWT' }, { sub: 'ada', iss: site.url }))).body).toEqual(handedOver);
    expect((await call(await jwt({ typ: 'at+jwt' }, { iss: 'https://other.example' }))).body).toEqual(
      handedOver,
    );
    expect((await call(await tokenOf('ada'))).body.user).toEqual({ id: 'ada', by: 'people.find' });
    expect((await call('own-token', '/others/shared')).body).toEqual(handedOver);
  });

  test('a refusal by orElse is the answer, and its exception a 500', async () => {
    expect((await call('abc')).status).toBe(418);
    expect((await call('abc', '/others/broken')).status).toBe(500);
  });

  test.each(['eas_at_wrong', 'eas_rt_wrong', 'eas_'])('orElse never sees the token %s', async (token) => {
    expect((await call(token)).status).toBe(401);
  });

  test('orElse never sees a JWT that claims to be of this server', async () => {
    for (const typ of ['at+jwt', 'application/at+jwt', 'AT+JWT'])
      expect((await call(await jwt({ typ }, { iss: site.url }))).body).toMatchObject({
        error: 'invalid_token',
      });
  });
});

test('bearerGuard has user, orSession and strategy by its option people.find', async () => {
  await using jwtSite = await openSite({ tokens: { accessTokenFormat: 'jwt' } });
  const itsClient = await jwtSite.client();
  const guard = bearerGuard({ issuer: jwtSite.url, people: { find: (id) => people.get(id) } });
  const app = express()
    .get('/user', guard({ user: true }), show)
    .get('/shared', guard().orSession, show);
  const { access_token: token } = await obtainTokens(jwtSite, itsClient);
  const call = (path: string) => request(app).get(path).set('Authorization', `Bearer ${token}`);
  expect((await call('/user')).body).toEqual({ user: { id: 'ada', by: 'people.find' }, auth: 'ada' });
  expect((await call('/shared')).status).toBe(200);
  people.delete('ada');
  expect((await call('/user')).status).toBe(401);
  expect((await request(app).get('/shared')).status).toBe(401);
});

describe('guard({ orElse })', () => {
  const get = (path: string, headers: Record<string, string> = {}) =>
    request(site.server).get(path).set(headers);
  const CHALLENGE = /^Bearer realm="[^"]+", scope="photos:read", resource_metadata="[^"]+"$/;

  test('orElse lets in by API keys of the site in any header', async () => {
    expect((await callApi(site, await tokenOf('ada'), '/keys')).body).toMatchObject({ auth: 'ada' });
    for (const [name, value] of [
      ['X-API-Key', 'k'],
      ['Authorization', 'Bearer {own key}'],
    ] as const)
      expect((await get('/keys', { [name]: value })).body).toEqual({ user: { id: 'by a key of the site' } });
  });

  test.each<[string, string, Record<string, string>]>([
    ['without credentials', '/keys', {}],
    ['with a wrong key', '/keys', { 'X-API-Key': 'x' }],
    ['with credentials of another scheme', '/keys', { Authorization: 'Basic eDp5' }],
    ['with a token of another server', '/keys', { Authorization: 'Bearer {other key}' }],
    ['whose error the check passes on', '/keys?as=error', {}],
  ])("orElse adds the guard's challenge to the 401 of a request %s", async (_what, path, headers) => {
    const answer = await get(path, headers).expect(401);
    expect(answer.headers['www-authenticate']).toMatch(CHALLENGE);
  });

  test("orElse keeps the site's challenge beside its own, and adds none to another status", async () => {
    const { headers } = await get('/keys?as=challenge').expect(401);
    expect(headers['www-authenticate']).toMatch(/^ApiKey, Bearer realm=/);
    expect((await get('/keys?as=forbidden').expect(403)).headers).not.toHaveProperty('www-authenticate');
    expect((await get('/others/refused', { Authorization: 'Bearer other-token' })).headers).toHaveProperty(
      'www-authenticate',
    );
  });

  test('orElse gets no token of this server, even a wrong one', async () => {
    const token = await tokenOf('ada', 'profile');
    expect((await get('/keys', { Authorization: `Bearer ${token}`, 'X-API-Key': 'k' })).status).toBe(403);
    for (const wrong of ['eas_at_wrong', 'eas_at_{wrong}', ''])
      expect(
        (await get('/keys', { Authorization: `Bearer ${wrong}`, 'X-API-Key': 'k' })).status,
      ).toBeGreaterThan(399);
    for (const Authorization of [`Token ${token}`, `DPoP ${token}`, `Bearer\t${token}`])
      expect((await get('/keys', { Authorization, 'X-API-Key': 'k' })).status).toBe(401);
  });

  test('orElse comes after the session with orSession', async () => {
    const ada = await logInPerson(site, 'ada');
    expect((await ada.agent.get('/keys/shared')).body.user.id).toBe('ada');
    expect((await get('/keys/shared', { 'X-API-Key': 'k' })).body.user.id).toBe('by a key of the site');
    expect((await get('/keys/shared').expect(401)).headers['www-authenticate']).toMatch(/^Bearer /);
  });

  test('orElse is refused together with optional', () => {
    expect(() => site.oauth.guard({ orElse: ownKeys, optional: true })).toThrow(
      'guard: the option orElse: decides about requests without a token',
    );
  });
});
