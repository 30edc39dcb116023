import { readFileSync } from 'node:fs';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { importJWK, type JWK } from 'jose';
import mongoose from 'mongoose';
import request from 'supertest';

import { type ClientWithSecret, createUsers, type PublicJwk } from '../../lib/index.js';
import { macAssertion, postAssertion, signAssertion } from '../support/assertions.js';
import { decideOn, DEVICE_GRANT_TYPES, type DeviceAuthorization, personOf, poll } from '../support/device.js';
import { manage, METADATA, register } from '../support/registration.js';
import { openSite, REDIRECT_URI, type Site } from '../support/site.js';
import { basic, callApi, redeem, tokenRequest } from '../support/tokens.js';

/**
 * Data in hosts' databases from version 0.1 on keep working without a migration: this opens a database that 0.1 has
 * made, and uses what its clients and people have.
 */
type Credentials = Pick<ClientWithSecret, 'clientId' | 'clientSecret'>;
type Registered = Parameters<typeof manage>[2] & { readonly client_secret: string };

interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

interface Dump {
  readonly issuer: string;
  readonly madeAt: Date;
  readonly clients: Record<
    'confidential' | 'bcrypt' | 'publicClient' | 'byHmac' | 'rotated' | 'rotatedNow' | 'frame' | 'trusted',
    Credentials
  > & {
    readonly byKey: Credentials & { readonly privateJwk: JWK; readonly publicJwk: PublicJwk };
    readonly registered: Registered;
    readonly registeredUsed: Registered;
  };
  readonly initialAccessToken: string;
  readonly tokens: Tokens;
  readonly code: { readonly code: string; readonly codeVerifier: string };
  readonly plainCode: string;
  readonly usedCode: string;
  readonly ofUsedCode: Tokens;
  /** Three in a row: the first two refresh tokens are used up. */
  readonly first: Tokens;
  readonly second: Tokens;
  readonly third: Tokens;
  readonly revoked: Tokens;
  readonly ofClient: Tokens;
  readonly ofPassword: Tokens;
  readonly jwt: Tokens;
  readonly forAlbums: Tokens;
  readonly implicit: string;
  readonly usedAssertionId: string;
  readonly devices: Record<'waiting' | 'allowed' | 'connected', DeviceAuthorization> & {
    readonly ofDevice: Tokens;
  };
  readonly user: { readonly id: string };
  readonly indexes: Readonly<Record<string, readonly { readonly key: object }[]>>;
  readonly collections: Readonly<Record<string, readonly Record<string, unknown>[]>>;
}

const JWT_API = 'https://albums.example';
/** As when the dump was made. */
const signingKeys = { encryptionSecret: 'a secret of the test, of 32 characters' };
const dump = mongoose.mongo.BSON.EJSON.parse(
  readFileSync(new URL('database-0.1.json', import.meta.url), 'utf8'),
) as Dump;

let site: Site;

beforeAll(async () => {
  site = await openSite({
    issuer: dump.issuer,
    grantTypes: [...DEVICE_GRANT_TYPES, 'client_credentials', 'password', 'implicit'],
    resources: { [JWT_API]: { accessTokenFormat: 'jwt' } },
    registration: { open: true },
    audit: { ttl: 86_400 },
    tokens: { reuseGrace: 600 },
    lifetimes: { authorizationCode: 600 },
    clientAuthentication: { secretKey: 'a key of the test, of 32 characters' },
    signingKeys,
    security: { rateLimits: false },
  });
  site.app.get('/albums', site.oauth.guard({ resource: JWT_API }), (req, res) => res.json(req.auth));
  const age = Date.now() - dump.madeAt.getTime();
  for (const [name, documents] of Object.entries(dump.collections))
    await site.database.connection
      .collection(name)
      .insertMany(documents.map((document) => inOurTime(document, age)) as never);
});
afterAll(async () => {
  await site.oauth.close();
  await site.close();
});

/** As if it had been made now: all its dates are moved by the same time. */
function inOurTime(value: unknown, age: number): unknown {
  if (value instanceof Date) return new Date(value.getTime() + age);
  if (Array.isArray(value)) return value.map((item) => inOurTime(item, age));
  if (value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(
    Object.entries(value as object).map(([name, item]) => [name, inOurTime(item, age)]),
  );
}

const { clients } = dump;
const confidential = clients.confidential as ClientWithSecret;
const refresh = (token: string, client: Credentials = confidential) =>
  tokenRequest(site, client as ClientWithSecret, { grant_type: 'refresh_token', refresh_token: token });
const credentialsOf = (client: Credentials) =>
  tokenRequest(site, client as ClientWithSecret, { grant_type: 'client_credentials' });
const post = (path: string, token: string) =>
  request(site.server)
    .post(`/oauth/${path}`)
    .type('form')
    .set('Authorization', basic(confidential.clientId, confidential.clientSecret!))
    .send({ token });

test('it was made by the indexes that are there now', async () => {
  for (const [name, indexes] of Object.entries(dump.indexes).filter(([of]) => of !== 'oauth_users')) {
    const now = await site.database.connection.collection(name).indexes();
    for (const index of indexes)
      expect([name, now]).toEqual([name, expect.arrayContaining([expect.objectContaining(index)])]);
  }
});

describe('clients', () => {
  test('are found with all that they have', async () => {
    expect(await site.oauth.clients.find('printing-shop')).toEqual({
      clientId: 'printing-shop',
      name: 'Printing shop',
      type: 'confidential',
      redirectUris: [REDIRECT_URI],
      scopes: ['photos:read', 'photos:write', 'profile'],
      grantTypes: expect.arrayContaining(['authorization_code', 'implicit']),
      trusted: false,
      introspection: true,
      verified: true,
      resources: [dump.issuer, JWT_API],
      accessTokenTtl: 315_360_000,
      refreshTokenTtl: 315_360_000,
      logoUri: 'https://print.example/logo.png',
      ownerId: 'ada',
      secrets: [{ createdAt: expect.any(Date) }],
      createdAt: expect.any(Date),
      updatedAt: expect.any(Date),
    });
    expect(await site.oauth.clients.listOfOwner('ada')).toHaveLength(1);
  });

  test.each(['confidential', 'bcrypt', 'rotated', 'rotatedNow'] as const)(
    'authenticate by their secrets: %s',
    async (name) => void (await credentialsOf(clients[name]).expect(200)),
  );

  test('authenticate by private_key_jwt; an assertion that was used stays used', async () => {
    const key = {
      privateKey: (await importJWK(clients.byKey.privateJwk, 'ES256')) as never,
      publicJwk: clients.byKey.publicJwk,
      alg: 'ES256',
    };
    const by = (claims: object) =>
      signAssertion(site, 'by-key', key, { claims: { aud: dump.issuer, ...claims } });
    await postAssertion(site, await by({})).expect(200);
    await postAssertion(site, await by({ jti: dump.usedAssertionId })).expect(401);
  });

  test('authenticate by client_secret_jwt, by the secret that is sealed', async () => {
    const { clientId, clientSecret } = clients.byHmac;
    const assertion = await macAssertion(site, clientId, clientSecret!, { claims: { aud: dump.issuer } });
    await postAssertion(site, assertion).expect(200);
  });

  test('are changed', async () => {
    const before = await site.oauth.clients.find('rotated');
    const { updatedAt, ...changed } = (await site.oauth.clients.update('rotated', { name: 'Changed' }))!;
    expect(changed).toEqual({ ...changed, ...before, name: 'Changed', updatedAt: undefined });
    expect(updatedAt).not.toEqual(before?.updatedAt);
    await credentialsOf(clients.rotated).expect(200);
  });

  test('that registered themselves read, change and delete their registration', async () => {
    const { registered, registeredUsed } = clients;
    expect((await manage(site, 'get', registered).expect(200)).body).toMatchObject({
      client_id: registered.client_id,
      client_name: 'Frame maker',
      contacts: ['a@frames.example'],
      software_id: 'frames',
    });
    await manage(site, 'put', registered, {
      ...METADATA,
      client_id: registered.client_id,
      client_name: 'Renamed',
    }).expect(200);
    await manage(site, 'delete', registeredUsed).expect(204);
    expect(await site.oauth.clients.find(registeredUsed.client_id)).toBeNull();
  });

  test('register by an initial access token', async () => {
    const closed = await openSite({
      database: site.database,
      issuer: dump.issuer,
      registration: {},
      signingKeys,
    });
    await register(closed, METADATA, dump.initialAccessToken).expect(201);
    await register(closed, METADATA, dump.initialAccessToken).expect(201);
    await register(closed, METADATA, dump.initialAccessToken).expect(401);
    await closed.close();
  });
});

describe('access tokens', () => {
  test.each<[string, string, object]>([
    ['a code', dump.tokens.access_token, { clientId: 'printing-shop', userId: 'ada' }],
    ['a refresh, with fewer scopes', dump.third.access_token, { userId: 'grace', scopes: ['profile'] }],
    ['a client', dump.ofClient.access_token, { clientId: 'printing-shop' }],
    ['a password', dump.ofPassword.access_token, { userId: 'ada', scopes: ['profile'] }],
    ['the implicit grant', dump.implicit, { clientId: 'trusted', userId: 'ada' }],
    ['a device', dump.devices.ofDevice.access_token, { clientId: 'frame', userId: 'ada' }],
  ])('of %s are let in', async (_of, token, auth) => {
    const response = await callApi(site, token);
    expect([response.status, response.body]).toEqual([200, expect.objectContaining(auth)]);
  });

  test.each([
    ['a client', dump.jwt.access_token],
    ['a person', dump.forAlbums.access_token],
  ])('that are JWTs for a resource are let in there alone: of %s', async (_of, token) => {
    expect((await callApi(site, token, '/albums')).status).toBe(200);
    expect((await callApi(site, token)).status).toBe(401);
  });

  test('of a grant that was revoked are refused', async () => {
    expect((await callApi(site, dump.revoked.access_token)).status).toBe(401);
    expect((await refresh(dump.revoked.refresh_token, clients.bcrypt)).body.error).toBe('invalid_grant');
  });

  test('are introspected', async () => {
    const { body } = await post('introspect', dump.tokens.access_token).expect(200);
    expect(body).toMatchObject({ active: true, sub: 'ada', client_id: 'printing-shop' });
  });

  test('are revoked, alone or with the refresh token', async () => {
    await post('revoke', dump.ofClient.access_token).expect(200);
    expect((await callApi(site, dump.ofClient.access_token)).status).toBe(401);
    await post('revoke', dump.forAlbums.refresh_token).expect(200);
    expect((await callApi(site, dump.forAlbums.access_token, '/albums')).status).toBe(401);
  });
});

describe('codes and refresh tokens', () => {
  test('a code is redeemed with its verifier', async () => {
    const { code, codeVerifier } = dump.code;
    const client = clients.publicClient as ClientWithSecret;
    expect((await redeem(site, client, code).expect(400)).body.error).toBe('invalid_grant');
    const { body } = await redeem(site, client, code, { code_verifier: codeVerifier }).expect(200);
    expect((await callApi(site, body.access_token)).body).toMatchObject({ userId: 'grace' });
  });

  test('a code without PKCE is redeemed by the client that it was given to', async () => {
    await redeem(site, clients.bcrypt as ClientWithSecret, dump.plainCode).expect(400);
    expect((await redeem(site, confidential, dump.plainCode).expect(200)).body.scope).toBe('photos:read');
  });

  test('a code that is presented again ends its grant', async () => {
    expect((await callApi(site, dump.ofUsedCode.access_token)).status).toBe(200);
    expect((await redeem(site, confidential, dump.usedCode).expect(400)).body.error).toBe('invalid_grant');
    expect((await callApi(site, dump.ofUsedCode.access_token)).status).toBe(401);
  });

  test('a refresh token is exchanged, and caught if it comes again some refreshes later', async () => {
    let { body } = await refresh(dump.tokens.refresh_token).expect(200);
    expect(body.scope).toBe('photos:read photos:write profile');
    for (let count = 0; count < 2; count += 1) ({ body } = await refresh(body.refresh_token).expect(200));
    expect((await refresh(dump.tokens.refresh_token).expect(400)).body.error).toBe('invalid_grant');
    expect((await callApi(site, body.access_token)).status).toBe(401);
  });

  test('a response that was lost is answered again; a refresh token from before it ends the grant', async () => {
    const repeated = await tokenRequest(site, confidential, {
      grant_type: 'refresh_token',
      refresh_token: dump.second.refresh_token,
      scope: 'profile',
    }).expect(200);
    expect(repeated.body).toMatchObject(
      Object.fromEntries(Object.entries(dump.third).filter(([name]) => name.endsWith('_token'))),
    );
    expect((await refresh(dump.first.refresh_token).expect(400)).body.error).toBe('invalid_grant');
    expect((await callApi(site, dump.third.access_token)).status).toBe(401);
  });
});

describe('devices', () => {
  const frame = clients.frame as ClientWithSecret;

  test('one that waits is connected by the code on its screen', async () => {
    const { waiting } = dump.devices;
    expect((await decideOn(await personOf(site, 'grace'), waiting)).status).toBe(200);
    await poll(site, frame, waiting).expect(200);
  });

  test('one that was allowed gets its tokens, once', async () => {
    const { body } = await poll(site, frame, dump.devices.allowed).expect(200);
    await refresh(body.refresh_token, frame).expect(200);
    expect((await poll(site, frame, dump.devices.allowed).expect(400)).body.error).toBe('invalid_grant');
  });

  test('one that is connected refreshes; its code, presented again, ends it', async () => {
    const { body } = await refresh(dump.devices.ofDevice.refresh_token, frame).expect(200);
    await poll(site, frame, dump.devices.connected).expect(400);
    expect((await callApi(site, body.access_token)).status).toBe(401);
  });
});

describe('people', () => {
  test('are not asked again for what they have allowed, and see what they have connected', async () => {
    const ada = await personOf(site);
    const answer = await ada.openAuthorize({
      response_type: 'code',
      client_id: 'printing-shop',
      redirect_uri: REDIRECT_URI,
      state: 'xyz',
    });
    expect(answer.headers.location).toMatch(/^https:\/\/print\.example\/callback\?.*code=/);
    const page = await ada.agent.get('/oauth/authorizations').expect(200);
    expect(page.text).toContain('Printing shop');
  });

  test('of the bundled store log in by their passwords', async () => {
    const users = createUsers(site.database.connection, { rounds: 4 });
    expect(await users.verify('LINUS', 'a long password')).toEqual({
      id: dump.user.id,
      username: 'Linus',
      name: 'Linus of the test',
    });
    expect(await users.verify('Linus', 'a wrong password')).toBeNull();
    await expect(users.create({ username: 'linus', password: 'a long password' })).rejects.toThrow(
      'This user name is taken already.',
    );
  });
});

test('signing keys open, the one that waits for its turn included', async () => {
  const stored = dump.collections.oauth_signing_keys!;
  expect((await site.oauth.keys.list()).map(({ kid, status }) => ({ kid, status }))).toEqual([
    { kid: stored.find(({ _id }) => _id === 2)?.kid, status: 'upcoming' },
    { kid: stored.find(({ _id }) => _id === 1)?.kid, status: 'signing' },
  ]);
});

test('the audit is found', async () => {
  const entries = await site.oauth.audit.find({ clientId: 'printing-shop' });
  expect(entries).toContainEqual(expect.objectContaining({ type: 'client.created', time: expect.any(Date) }));
});
