import { beforeAll, describe, expect, jest, test } from '@jest/globals';
import request from 'supertest';

import type { AuthorizationServerOptions, ClientWithSecret, NewClient } from '../../lib/index.js';
import { letPass } from '../support/clock.js';
import { commandsDuring } from '../support/commands.js';
import { createProofKey, prove } from '../support/dpop.js';
import { hostKey, signWith, takeApart, verifyByKeys } from '../support/jwt.js';
import { logInPerson } from '../support/person.js';
import { KEY_SECRET, openSite, type SiteOptions } from '../support/site.js';
import { siteFor } from '../support/site-for.js';
import { starting } from '../support/starting.js';
import {
  callApi,
  clientRequest,
  type Fields,
  introspectAs,
  obtainTokens,
  refreshTokens,
  tokenRequest,
} from '../support/tokens.js';

const ALBUMS = 'https://albums.example';
const BRIEF = 'https://brief.example';
const STORED = 'https://kept.example';
const stateless = { stateless: true, accessTokenFormat: 'jwt' } as const;
const OPTIONS: SiteOptions = {
  resources: {
    [ALBUMS]: stateless,
    [BRIEF]: { ...stateless, accessTokenTtl: 60 },
    [STORED]: { accessTokenFormat: 'jwt' },
  },
  dpop: true,
};
let client: ClientWithSecret;

const site = siteFor(OPTIONS);
beforeAll(async () => {
  site.app.get('/albums', site.oauth.guard({ scopes: ['photos:read'], resource: ALBUMS }), (req, res) => {
    res.json(req.auth);
  });
  site.app.use('/albums', site.oauth.errorHandler);
  client = await site.client();
  // the keys are made and read when the first token is signed
  await tokenOf();
});

const ask = (fields: Fields = {}, of = client, at = site) =>
  tokenRequest(at, of, {
    grant_type: 'client_credentials',
    scope: 'photos:read',
    resource: ALBUMS,
    ...fields,
  });
const tokenOf = async (fields: Fields = {}, of = client, at = site): Promise<string> =>
  (await ask(fields, of, at).expect(200)).body.access_token;
const revoke = (token: string, by = client) => clientRequest(site, by, '/oauth/revoke', { token });
const asking = (more: Partial<NewClient> = {}) => site.client({ introspection: true, ...more });
const grants = () => site.database.collection('oauth_grants');

describe('a client credentials token for a resource with stateless tokens', () => {
  test('a stateless token costs the look-up of its client alone, and is stored nowhere', async () => {
    const before = await grants().countDocuments();
    const reported: object[] = [];
    site.oauth.events.once('token.issued', (event) => reported.push(event));
    expect(await commandsDuring(site.database, () => ask().expect(200))).toEqual(['find oauth_clients']);
    expect(await grants().countDocuments()).toBe(before);
    expect(reported).toMatchObject([{ clientId: client.clientId, grantType: 'client_credentials' }]);
  });

  test('a stateless token is a JWT by RFC 9068 that lives for five minutes', async () => {
    const { body } = await ask().expect(200);
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 300, scope: 'photos:read' });
    const { claims } = await verifyByKeys(site, body.access_token as string, ALBUMS);
    expect(claims).toMatchObject({ sub: client.clientId, client_id: client.clientId, scope: 'photos:read' });
    expect(claims.exp! - claims.iat!).toBe(300);
    const { jti } = (await verifyByKeys(site, await tokenOf(), ALBUMS)).claims;
    expect(jti).not.toBe(claims.jti);
  });

  test('a stateless token lives as long as its resource says, or shorter if its client says so', async () => {
    expect((await ask({ resource: BRIEF })).body.expires_in).toBe(60);
    const short = await site.client({ accessTokenTtl: 30 });
    for (const resource of [ALBUMS, BRIEF]) expect((await ask({ resource }, short)).body.expires_in).toBe(30);
  });

  test.each([STORED, undefined])('a client credentials token for %s is stored', async (resource) => {
    const before = await grants().countDocuments();
    await ask({ resource }).expect(200);
    expect(await grants().countDocuments()).toBe(before + 1);
  });

  test('a token of a user for a stateless resource is stored with its grant, and ends with it', async () => {
    const query = { scope: 'photos:read', resource: ALBUMS };
    const tokens = await obtainTokens(site, client, { query });
    expect(tokens.expires_in).toBe(3600);
    expect((await callApi(site, tokens.access_token, '/albums')).body).toMatchObject({ userId: 'ada' });
    expect((await revoke(tokens.access_token)).status).toBe(200);
    expect((await callApi(site, tokens.access_token, '/albums')).status).toBe(401);
    const refreshed = await refreshTokens(site, client, tokens.refresh_token, { resource: ALBUMS });
    const next = refreshed.body as { access_token: string; refresh_token: string };
    expect((await callApi(site, next.access_token, '/albums')).status).toBe(200);
    await site.oauth.grants.revoke({ userId: 'ada', clientId: client.clientId });
    expect((await callApi(site, next.access_token, '/albums')).status).toBe(401);
  });
});

describe('the guard of the site', () => {
  test('the guard of a site accepts a stateless token at its resource alone, without a command', async () => {
    const token = await tokenOf();
    await callApi(site, token, '/albums');
    let body: unknown;
    const commands = await commandsDuring(site.database, async () => {
      ({ body } = await callApi(site, token, '/albums'));
    });
    expect(commands).toEqual([]);
    expect(body).toEqual({
      token,
      kind: 'app',
      clientId: client.clientId,
      scopes: ['photos:read'],
      expiresAt: expect.any(Number),
      resource: `${ALBUMS}/`,
    });
    expect((await callApi(site, token)).status).toBe(401);
    expect((await callApi(site, await tokenOf({ scope: 'profile' }), '/albums')).status).toBe(403);
    expect((await callApi(site, await tokenOf({ resource: BRIEF }), '/albums')).status).toBe(401);
  });

  test('the guard of a site refuses an expired stateless token, even one that it has cached', async () => {
    const token = await tokenOf();
    expect((await callApi(site, token, '/albums')).status).toBe(200);
    letPass(250);
    expect((await callApi(site, token, '/albums')).status).toBe(200);
    letPass(51);
    expect((await callApi(site, token, '/albums')).status).toBe(401);
  });

  test('the guard of a site refuses a stateless token with another key, type or id', async () => {
    const token = await tokenOf();
    const { header, claims } = takeApart(token);
    const thief = hostKey();
    expect((await callApi(site, await signWith(thief.key, header, claims), '/albums')).status).toBe(401);
    // a stored token cannot be turned into a stateless one
    const stored = await tokenOf({ resource: STORED });
    const [head, , signature] = stored.split('.');
    const changed = { ...takeApart(stored).claims, jti: claims.jti, aud: ALBUMS };
    const forged = `${head}.${Buffer.from(JSON.stringify(changed)).toString('base64url')}.${signature}`;
    expect((await callApi(site, forged, '/albums')).status).toBe(401);
  });

  test('the guard of a site accepts a stateless token with cnf only with a proof of its key', async () => {
    const [key, other] = [await createProofKey(), await createProofKey()];
    const tokenUrl = `${site.url}/oauth/token`;
    const { body } = await ask()
      .set('DPoP', await prove(key, 'POST', tokenUrl))
      .expect(200);
    expect(body).toMatchObject({ token_type: 'DPoP', expires_in: 300 });
    const accessToken = body.access_token as string;
    const call = async (scheme: string, by?: typeof key) => {
      const sent = request(site.server).get('/albums').set('Authorization', `${scheme} ${accessToken}`);
      if (by !== undefined)
        void sent.set('DPoP', await prove(by, 'GET', `${site.url}/albums`, { accessToken }));
      return (await sent).status;
    };
    expect([
      await call('DPoP', key),
      await call('DPoP', other),
      await call('DPoP'),
      await call('Bearer'),
    ]).toEqual([200, 401, 401, 401]);
    expect(await introspectAs(site, await asking(), accessToken)).toMatchObject({
      active: true,
      token_type: 'DPoP',
      cnf: { jkt: key.jkt },
    });
  });
});

describe('introspection and revocation of stateless tokens', () => {
  test('introspection answers the claims of a stateless token', async () => {
    const server = await asking();
    const token = await tokenOf();
    const answer = await introspectAs(site, server, token);
    expect(answer).toEqual({
      active: true,
      scope: 'photos:read',
      client_id: client.clientId,
      exp: takeApart(token).claims.exp,
      token_type: 'Bearer',
      aud: ALBUMS,
      iss: site.url,
    });
    const stored = await introspectAs(site, server, await tokenOf({ resource: STORED }));
    expect(Object.keys(stored).sort()).toEqual(Object.keys(answer).sort());
    expect(await introspectAs(site, await asking({ resources: [STORED] }), token)).toEqual({ active: false });
    expect(await introspectAs(site, await asking({ resources: [ALBUMS] }), token)).toMatchObject({
      active: true,
    });
    letPass(301);
    expect(await introspectAs(site, server, token)).toEqual({ active: false });
  });

  test('introspection of a stateless token is inactive if its client is blocked or deleted', async () => {
    const server = await asking();
    const own = await site.client();
    const token = await tokenOf({}, own);
    await site.oauth.clients.block(own.clientId);
    expect(await introspectAs(site, server, token)).toEqual({ active: false });
    expect((await ask({}, own)).status).toBe(400);
    await site.oauth.clients.unblock(own.clientId);
    expect(await introspectAs(site, server, token)).toMatchObject({ active: true });
    await site.oauth.clients.delete(own.clientId);
    expect(await introspectAs(site, server, token)).toEqual({ active: false });
  });

  test('RFC 7009 §2.2.1 revocation of a stateless token is unsupported_token_type', async () => {
    const token = await tokenOf();
    const refused = await revoke(token);
    expect([refused.status, refused.body.error]).toEqual([400, 'unsupported_token_type']);
    expect((await callApi(site, token, '/albums')).status).toBe(200);
    const foreign = await revoke(token, await site.client());
    expect([foreign.status, foreign.body.error]).toEqual([400, 'invalid_grant']);
    letPass(301);
    expect((await revoke(token)).status).toBe(200);
  });

  test('a stateless token is refused once its signing key is revoked', async () => {
    await using other = await openSite({ ...OPTIONS, lifetimes: { accessToken: 120 } });
    const { body } = await ask({}, await other.client(), other);
    // never longer than other tokens
    expect(body.expires_in).toBe(120);
    const token = body.access_token as string;
    const server = await other.client({ introspection: true });
    expect(await introspectAs(other, server, token)).toMatchObject({ active: true });
    for (const { kid } of await other.oauth.keys.list()) await other.oauth.keys.revoke(kid);
    expect(await introspectAs(other, server, token)).toEqual({ active: false });
  });

  test('a change of the option stateless leaves earlier tokens as they are', async () => {
    const [stored, unstored] = [await tokenOf({ resource: STORED }), await tokenOf()];
    await using other = await openSite({
      database: site.database,
      issuer: site.url,
      resources: { [ALBUMS]: { accessTokenFormat: 'jwt' }, [STORED]: stateless },
    });
    const server = await asking();
    expect(await introspectAs(other, server, stored)).toMatchObject({ active: true });
    expect(await introspectAs(other, server, unstored)).toMatchObject({ active: true });
    expect((await revoke(stored)).status).toBe(200);
    expect(await introspectAs(other, server, stored)).toEqual({ active: false });
  });
});

describe('the option stateless', () => {
  const start = (options: Partial<AuthorizationServerOptions>) =>
    starting(site, { signingKeys: { encryptionSecret: KEY_SECRET }, ...options });

  test('the option stateless needs JWTs', () => {
    expect(start({ resources: { [ALBUMS]: { stateless: true } } })).toThrow(
      /resources: 'https:\/\/albums\.example' is stateless.*accessTokenFormat: 'jwt'/,
    );
    expect(
      start({ resources: { [ALBUMS]: { stateless: true } }, tokens: { accessTokenFormat: 'jwt' } }),
    ).not.toThrow();
  });

  test('the option stateless with a long lifetime warns at the start', () => {
    const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    start({ resources: { [ALBUMS]: { ...stateless, accessTokenTtl: 3600 } } })();
    expect(warn.mock.calls).toEqual([]);
    start({ resources: { [ALBUMS]: { ...stateless, accessTokenTtl: 7200 } } })();
    expect(warn.mock.calls).toEqual([
      [
        expect.stringContaining('7200 seconds, and nobody can take it back'),
        { code: 'EAS_LONG_STATELESS_TOKENS' },
      ],
    ]);
    warn.mockRestore();
  });

  test('a stateless token is not among the connected apps of users', async () => {
    await tokenOf();
    const person = await logInPerson(site, 'bob');
    expect((await person.agent.get('/oauth/authorizations')).text).not.toContain(client.clientId);
  });
});
