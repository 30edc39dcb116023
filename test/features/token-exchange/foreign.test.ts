import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { SignJWT } from 'jose';

import type { AuthorizationServerOptions, ClientWithSecret } from '../../../lib/index.js';
import { createTestKey, now, type TestKey } from '../../support/assertions.js';
import { letPass } from '../../support/clock.js';
import { createProofKey, prove } from '../../support/dpop.js';
import { openJwksServer } from '../../support/jwks-server.js';
import { logInPerson } from '../../support/person.js';
import { openSite } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';
import { exchange, exchanged, exchanger, TOKEN_EXCHANGE } from '../../support/token-exchange.js';
import { callApi } from '../../support/tokens.js';

type Claims = Readonly<Record<string, unknown>>;

type OtherServer = Awaited<ReturnType<typeof openOther>>;

/** Another authorization server: metadata, keys, introspection. */
async function openOther() {
  const server = await openJwksServer();
  const issuer = new URL(server.url).origin;
  const key = await createTestKey('ES256');
  /** Its responses to introspection; other tokens are inactive. */
  const active = new Map<string, Claims>();
  /** The tokens that it has introspected. */
  const introspected: string[] = [];
  server.answer((req, res) => {
    const send = (body: object) =>
      res.setHeader('content-type', 'application/json').end(JSON.stringify(body));
    if (req.url?.startsWith('/.well-known/') === true)
      return send({ issuer, jwks_uri: `${issuer}/jwks`, introspection_endpoint: `${issuer}/introspect` });
    if (req.url !== '/introspect') return send({ keys: [key.publicJwk] });
    return void req.toArray().then((parts) => {
      const token = new URLSearchParams(parts.join('')).get('token') ?? '';
      introspected.push(token);
      send(active.get(token) ?? { active: false });
    });
  });
  return Object.assign(server, { issuer, key, active, introspected });
}

/** Two servers with trusted JWTs, and one whose tokens are introspected. */
const albums = fixture(() => openOther());
const prints = fixture(() => openOther());
const asking = fixture(() => openOther());
let client: ClientWithSecret;
const people = new Map<string, string>();

const trustOf = ({ issuer }: OtherServer, more: object = {}) => ({
  issuer,
  findUser: ({ iss, sub }: { iss: string; sub: string }) => people.get(`${iss} ${sub}`) ?? null,
  scopes: ['photos:read', 'profile'],
  ...more,
});

const site = siteFor(() => ({
  advanced: { clientCacheTtl: 0 },
  dpop: true,
  tokenExchange: {
    trust: [
      trustOf(albums),
      trustOf(prints),
      trustOf(asking, { clientId: 'photos', clientSecret: 'a secret of the test' }),
    ],
  },
}));
beforeAll(async () => {
  people.set(`${albums.issuer} 7`, 'ada');
  people.set(`${prints.issuer} 7`, 'grace');
  people.set(`${asking.issuer} 7`, 'bob');
  client = await exchanger(site);
});
let tests = 0;
beforeEach(() => {
  // the pause between two fetches of keys is over
  letPass(31 * (tests += 1));
  for (const { requests, introspected } of [albums, prints, asking]) {
    requests.length = 0;
    introspected.length = 0;
  }
});

const claimsOf = ({ issuer }: OtherServer, claims: Claims = {}): Claims => ({
  iss: issuer,
  sub: '7',
  aud: site.url,
  client_id: 'their-app',
  scope: 'photos:read photos:write albums:read openid',
  iat: now(),
  exp: now() + 300,
  jti: 'one',
  ...claims,
});

/** A JWT access token of RFC 9068, with changes. */
function tokenOf(
  server: OtherServer,
  { claims, header = {}, key = server.key }: { claims?: Claims; header?: object; key?: TestKey } = {},
): Promise<string> {
  const given = Object.entries(claimsOf(server, claims)).filter(([, value]) => value !== undefined);
  return new SignJWT(Object.fromEntries(given))
    .setProtectedHeader({ alg: key.alg, typ: 'at+jwt', kid: String(key.publicJwk.kid), ...header })
    .sign(key.privateKey);
}

describe('an access token of another server', () => {
  test('a foreign token is exchanged for a token of its person, without a refresh token', async () => {
    const { body } = await exchange(site, client, await tokenOf(albums)).expect(200);
    expect(body).toMatchObject({
      scope: 'photos:read',
      issued_token_type: expect.stringContaining('access_token'),
    });
    expect(body.expires_in).toBeLessThanOrEqual(300);
    expect(body.refresh_token).toBeUndefined();
    expect((await callApi(site, body.access_token)).body).toMatchObject({
      clientId: client.clientId,
      userId: 'ada',
      scopes: ['photos:read'],
      actor: { sub: client.clientId },
    });
  });

  test('the new token lives no longer than the foreign token and the limit of the entry', async () => {
    const lifeOf = async (server: OtherServer, exp: number) =>
      (await exchange(site, client, await tokenOf(server, { claims: { exp: now() + exp } })).expect(200)).body
        .expires_in as number;
    expect(await lifeOf(albums, 100)).toBeLessThanOrEqual(100);
    expect(await lifeOf(albums, 3000)).toBeLessThanOrEqual(600);
    expect(await lifeOf(prints, 3000)).toBeLessThanOrEqual(600);
  });

  test('actors of a foreign token appear with its issuer', async () => {
    const token = await exchanged(site, client, await tokenOf(albums, { claims: { act: { sub: 'robot' } } }));
    expect((await callApi(site, token)).body.actor).toEqual({
      sub: client.clientId,
      act: { sub: 'robot', iss: albums.issuer },
    });
  });

  test('one subject at two foreign servers is two people', async () => {
    const personOf = async (server: OtherServer) =>
      (await callApi(site, await exchanged(site, client, await tokenOf(server)))).body.userId;
    expect([await personOf(albums), await personOf(prints)]).toEqual(['ada', 'grace']);
  });

  test('the new token ends when the person disconnects the client', async () => {
    const token = await exchanged(site, client, await tokenOf(albums));
    const ada = await logInPerson(site);
    await ada.agent.get(`/oauth/authorizations/${client.clientId}`).expect(200);
    await site.oauth.grants.revoke({ userId: 'ada', clientId: client.clientId });
    expect((await callApi(site, token)).status).toBe(401);
  });

  test('the new token can be exchanged again for fewer scopes, not for more', async () => {
    const token = await exchanged(
      site,
      client,
      await tokenOf(albums, { claims: { scope: 'photos:read profile' } }),
    );
    const { body } = await exchange(site, client, token, { scope: 'profile' }).expect(200);
    expect(body.scope).toBe('profile');
    const unknown = await exchange(site, client, token, { scope: 'profile groups' }).expect(200);
    expect(unknown.body.scope).toBe('profile');
    const wider = await exchange(site, client, token, { scope: 'photos:write' }).expect(400);
    expect(wider.body.error).toBe('invalid_scope');
  });

  test('a foreign token with a key needs a proof of it and yields a token with this key', async () => {
    const key = await createProofKey();
    const bound = await tokenOf(albums, { claims: { cnf: { jkt: key.jkt } } });
    await exchange(site, client, bound).expect(400);
    const other = await createProofKey();
    const url = `${site.url}/oauth/token`;
    await exchange(site, client, bound)
      .set('DPoP', await prove(other, 'POST', url))
      .expect(400);
    const { body } = await exchange(site, client, bound)
      .set('DPoP', await prove(key, 'POST', url))
      .expect(200);
    expect(body.token_type).toBe('DPoP');
    const strange = await tokenOf(albums, { claims: { cnf: { kid: 'x' } } });
    await exchange(site, client, strange).expect(400);
  });

  test('a foreign token for another API of the site is exchanged for that API only', async () => {
    const api = 'https://albums.photos.example';
    const resources = { [api]: { scopes: ['photos:read'] }, 'https://other.photos.example': {} };
    await using apart = await openSite({
      resources,
      tokenExchange: { trust: [trustOf(albums, { resource: api })] },
    });
    const printer = await exchanger(apart);
    const token = await tokenOf(albums, { claims: { aud: api } });
    const { body } = await exchange(apart, printer, token).expect(200);
    expect((await apart.oauth.verify(body.access_token, { resource: api })) ?? {}).toMatchObject({
      userId: 'ada',
    });
    for (const fields of [
      { resource: 'https://other.photos.example' },
      { audience: 'https://other.photos.example' },
    ])
      expect((await exchange(apart, printer, token, fields).expect(400)).body.error).toBe('invalid_target');
    await exchange(apart, printer, await tokenOf(albums, { claims: { aud: apart.url } })).expect(400);
  });
});

describe('refused foreign tokens', () => {
  const hmac = (jwk: object) => ({ privateKey: new TextEncoder().encode(JSON.stringify(jwk)), alg: 'HS256' });
  test.each<[string, () => Promise<string>]>([
    ['for another audience', () => tokenOf(albums, { claims: { aud: 'https://other.example' } })],
    ['without an audience', () => tokenOf(albums, { claims: { aud: undefined } })],
    ['that is an ID token', () => tokenOf(albums, { header: { typ: 'JWT' }, claims: { nonce: 'x' } })],
    ['without a typ', () => tokenOf(albums, { header: { typ: undefined } })],
    ['that has expired', () => tokenOf(albums, { claims: { exp: now() - 100 } })],
    ['from the future', () => tokenOf(albums, { claims: { iat: now() + 1000 } })],
    ['without an expiry', () => tokenOf(albums, { claims: { exp: undefined } })],
    ['of an application', () => tokenOf(albums, { claims: { sub: 'their-app' } })],
    ['of a person without an account here', () => tokenOf(albums, { claims: { sub: '8' } })],
    ['of an untrusted issuer', () => tokenOf(albums, { claims: { iss: 'https://evil.example' } })],
    ['with the key of another issuer', () => tokenOf(albums, { key: prints.key })],
    [
      'with the key of another issuer and the right key id',
      () => tokenOf(albums, { key: { ...prints.key, publicJwk: albums.key.publicJwk } }),
    ],
    [
      'with its key in the header',
      async () => {
        const own = await createTestKey('ES256');
        return tokenOf(albums, { key: own, header: { jwk: own.publicJwk } });
      },
    ],
    [
      'with a MAC by the public key',
      () =>
        tokenOf(albums, { key: { ...hmac(albums.key.publicJwk), publicJwk: albums.key.publicJwk } as never }),
    ],
    [
      'without a signature',
      async () => {
        const [, payload] = (await tokenOf(albums)).split('.');
        return `${Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url')}.${payload}.`;
      },
    ],
    ['with text as act', () => tokenOf(albums, { claims: { act: 'robot' } })],
    ['with this site as iss', () => tokenOf(albums, { claims: { iss: site.url } })],
    ['with another client in may_act', () => tokenOf(albums, { claims: { may_act: { sub: 'another' } } })],
    [
      'with the client id of its issuer in may_act',
      () => tokenOf(albums, { claims: { may_act: { sub: client.clientId, iss: albums.issuer } } }),
    ],
    ['revoked at its issuer', () => tokenOf(asking)],
    ['unknown to every issuer', () => Promise.resolve('opaque-of-nobody')],
  ])('a foreign token %s is refused', async (_what, make) => {
    const { status, body } = await exchange(site, client, await make());
    expect([status, body.error]).toEqual([400, 'invalid_request']);
    expect(body.access_token).toBeUndefined();
  });

  test('a foreign token is refused for scopes beyond the token, its entry or the client', async () => {
    const token = await tokenOf(albums);
    for (const scope of ['photos:write', 'albums:read', 'openid', 'profile'])
      expect((await exchange(site, client, token, { scope }).expect(400)).body.error).toMatch(
        /invalid_(scope|request)/,
      );
    const narrow = await exchanger(site, { scopes: ['profile'] });
    expect((await exchange(site, narrow, token).expect(400)).body.error).toBe('invalid_scope');
  });

  test('a client without the token exchange grant cannot exchange a foreign token', async () => {
    const other = await site.client({ grantTypes: ['client_credentials'] });
    const { body } = await exchange(site, other, await tokenOf(albums)).expect(400);
    expect(body.error).toBe('unauthorized_client');
    expect(albums.requests).toEqual([]);
  });

  test('a foreign token is refused beside an actor_token, or as another type of token', async () => {
    const token = await tokenOf(albums);
    const type = (name: string) => `urn:ietf:params:oauth:token-type:${name}`;
    await exchange(site, client, token, {
      actor_token: token,
      actor_token_type: type('access_token'),
    }).expect(400);
    for (const name of ['id_token', 'refresh_token'])
      await exchange(site, client, token, { subject_token_type: type(name) }).expect(400);
  });

  test('may_act of a foreign token can name a client of this server', async () => {
    const claims = { may_act: { sub: client.clientId, iss: site.url } };
    await exchange(site, client, await tokenOf(albums, { claims })).expect(200);
  });
});

describe('a foreign server with introspection', () => {
  const answer = (more: Claims = {}): Claims => ({
    active: true,
    token_type: 'Bearer',
    ...claimsOf(asking),
    ...more,
  });

  test('introspection has to confirm a foreign JWT and its person, and can narrow its scopes', async () => {
    const token = await tokenOf(asking, { claims: { scope: 'photos:read profile' } });
    asking.active.set(token, answer({ scope: 'profile' }));
    const { body } = await exchange(site, client, token).expect(200);
    expect(body.scope).toBe('profile');
    expect((await callApi(site, body.access_token)).body.userId).toBe('bob');
    asking.active.set(token, answer({ sub: '9' }));
    await exchange(site, client, token).expect(400);
    asking.active.delete(token);
    await exchange(site, client, token).expect(400);
  });

  test('an opaque foreign token is introspected, a JWT of another server is not', async () => {
    asking.active.set('opaque', answer());
    const { body } = await exchange(site, client, 'opaque').expect(200);
    expect((await callApi(site, body.access_token)).body.userId).toBe('bob');
    for (const more of [
      { aud: 'https://x.example' },
      { iss: albums.issuer },
      { token_type: 'refresh_token' },
      { exp: 1 },
      { may_act: { sub: 'x' } },
    ]) {
      asking.active.set('opaque', answer(more));
      await exchange(site, client, 'opaque').expect(400);
    }
    asking.introspected.length = 0;
    await exchange(site, client, await tokenOf(albums)).expect(200);
    await exchange(site, client, await tokenOf(asking, { key: albums.key })).expect(400);
    expect(asking.introspected).toEqual([]);
  });

  test('an opaque token of this site, or with two possible issuers, is not introspected', async () => {
    const own = await exchanged(site, client, await tokenOf(albums));
    await exchange(site, client, own).expect(200);
    const credentials = { clientId: 'photos', clientSecret: 'a secret of the test' };
    await using two = await openSite({
      tokenExchange: { trust: [trustOf(asking, credentials), trustOf(prints, credentials)] },
    });
    asking.active.set('opaque', answer({ aud: two.url }));
    await exchange(two, await exchanger(two), 'opaque').expect(400);
    expect([asking.introspected, prints.introspected]).toEqual([[], []]);
  });

  test('an introspection endpoint that does not answer leads to 503', async () => {
    await using silent = await openSite({
      tokenExchange: { trust: [trustOf({ ...asking, issuer: 'http://127.0.0.1:9' })] },
    });
    const token = await tokenOf({ ...asking, issuer: 'http://127.0.0.1:9' }, { claims: { aud: silent.url } });
    const { status, body } = await exchange(silent, await exchanger(silent), token);
    expect([status, body.error]).toEqual([503, 'temporarily_unavailable']);
  });
});

test.each<[string, object, string]>([
  ['that is this server', { issuer: 'https://photos.example' }, 'is this server itself'],
  ['without findUser', { findUser: undefined }, 'findUser'],
  ['without scopes', { scopes: [] }, 'a list of scopes'],
  ['with an unknown scope', { scopes: ['x'] }, "names the scope 'x'"],
  ['with an unknown resource', { resource: 'https://x.example' }, 'neither the issuer nor among resources'],
  ['with a clientId and no secret', { clientId: 'x' }, 'give clientId with clientSecret or clientKey'],
  ['with a secret and no clientId', { clientSecret: 'x' }, 'give clientId with clientSecret or clientKey'],
  ['without https', { issuer: 'http://x.example' }, 'an https: URL'],
])('a trusted issuer %s is refused when the server starts', async (_what, more, problem) => {
  const entry = { issuer: 'https://a.example', findUser: () => null, scopes: ['photos:read'], ...more };
  const options = { issuer: 'https://photos.example', tokenExchange: { trust: [entry] } };
  await expect(openSite(options as Partial<AuthorizationServerOptions>)).rejects.toThrow(problem);
  const twice = { ...options, tokenExchange: { trust: [trustOf(albums), trustOf(albums)] } };
  await expect(openSite(twice)).rejects.toThrow('is never used: an earlier one has the same issuer');
});

test('a site without trusted issuers refuses foreign tokens and fetches no keys', async () => {
  await using alone = await openSite({ tokenExchange: true });
  const printer = await exchanger(alone);
  await exchange(alone, printer, await tokenOf(albums, { claims: { aud: alone.url } })).expect(400);
  expect(albums.requests).toEqual([]);
  expect(printer.grantTypes).toEqual([TOKEN_EXCHANGE]);
});
