import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

import { describe, expect, test } from '@jest/globals';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import request from 'supertest';

import { commandsDuring } from '../../support/commands.js';
import { fetchKeys, forge, hostKey } from '../../support/jwt.js';
import { discover, type IdToken, openid, userinfo, verifyIdToken } from '../../support/openid.js';
import { codeQuery, locationOf, logInPerson } from '../../support/person.js';
import { openSite, SCOPES } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';
import {
  type CodeOptions,
  introspectAs,
  obtainCode,
  obtainTokens,
  redeem,
  refreshTokens,
  tokenRequest,
} from '../../support/tokens.js';

/** Seconds since 1970. */
const AT = 1_790_000_000;

let data: Record<string, unknown> | undefined;
let isGone = false;
let personId = 'ada';

const site = siteFor({
  openid: {
    claims: (userId, scopes, requested) => (isGone ? null : openid.claims(userId, scopes, requested)),
    scopeClaims: { 'photos:write': ['department'] },
    algorithms: ['ES256', 'EdDSA', 'PS256'],
  },
  people: { id: () => personId, authentication: () => data },
  scopes: { 'photos:read': SCOPES['photos:read'], 'photos:write': SCOPES['photos:write'] },
  resources: { 'https://api.example': { scopes: ['photos:read'] } },
});
const client = fixture(() => site.client({ introspection: true }));

const signIn = (options: CodeOptions['query'] = {}, by = client) =>
  obtainTokens(site, by, { query: { scope: 'openid', ...options } }) as Promise<
    Awaited<ReturnType<typeof obtainTokens>> & { id_token: string }
  >;
const refresh = (refresh_token: string, fields = {}) =>
  refreshTokens(site, client, refresh_token, { ...fields });

describe('§2, §3.1.3 the ID token of a code', () => {
  test('an ID token has the sub, auth_time, acr, amr, aud and exp of the login [2-1] [2-3] [15.1-1] [3.1.3.6-1]', async () => {
    data = { at: new Date(AT * 1000 + 999), acr: 'urn:two-factors', amr: ['pwd', 'otp'] };
    const { id_token, access_token } = await signIn({ nonce: 'n-0S6_WzA2Mj' });
    data = undefined;
    const claims = await verifyIdToken(site, id_token, client);
    expect(claims).toEqual({
      iss: site.url,
      sub: 'ada',
      aud: client.clientId,
      iat: expect.any(Number),
      exp: Number(claims.iat) + 3600,
      auth_time: AT,
      nonce: 'n-0S6_WzA2Mj',
      acr: 'urn:two-factors',
      amr: ['pwd', 'otp'],
      at_hash: createHash('sha256').update(access_token).digest().subarray(0, 16).toString('base64url'),
    });
    const { kid, alg } = decodeProtectedHeader(id_token);
    expect(await fetchKeys(site)).toContainEqual(expect.objectContaining({ kid, alg: 'RS256', use: 'sig' }));
    expect(alg).toBe('RS256');
  });

  test('the claims parameter of docs/openid-connect.md brings the name into an ID token', async () => {
    const page = await readFile(new URL('../../../docs/openid-connect.md', import.meta.url), 'utf8');
    const [, scope, claims] = /scope: '([^']+)', claims: '([^']+)'/.exec(page) ?? [];
    const nameBy = async (query: CodeOptions['query']) =>
      (await verifyIdToken(site, (await signIn(query)).id_token, client)).name;
    expect(await nameBy({ scope })).toBeUndefined();
    expect(await nameBy({ scope, claims })).toBe('Ada Lovelace');
  });

  test.each([
    ['of 255 characters', 200, 'a'.repeat(255)],
    ['of 256 characters', 500, 'a'.repeat(256)],
    ['that is not ASCII', 500, 'zoë'],
  ])('a sub %s leads to status %i [2-6]', async (_what, status, id) => {
    personId = id;
    const code = await obtainCode(site, client, { query: { scope: 'openid' } });
    const response = await redeem(site, client, code);
    personId = 'ada';
    expect(response.status).toBe(status);
    if (status === 200)
      expect(await verifyIdToken(site, response.body.id_token, client)).toMatchObject({ sub: id });
    else {
      expect(response.body.error).toBe('server_error');
      expect(site.errors.at(-1)?.detail).toMatch(/^people\.id gives an id that no ID token can have/);
    }
  });

  test('an ID token omits claims without a value', async () => {
    const claims = await verifyIdToken(site, (await signIn()).id_token, client);
    // only clients with logout notifications get a sid
    for (const name of ['auth_time', 'acr', 'amr', 'nonce', 'azp', 'name', 'email', 'sid'])
      expect(claims).not.toHaveProperty(name);
  });

  test.each([
    ['ES256', 'sha256', 16],
    ['PS256', 'sha256', 16],
    ['EdDSA', 'sha512', 32],
  ])('an ID token and its at_hash use the algorithm of the client, %s', async (alg, hash, half) => {
    const other = await site.client({ idTokenSignedResponseAlg: alg });
    const { id_token, access_token } = await signIn({}, other);
    const claims = await verifyIdToken(site, id_token, { ...other, algorithm: alg });
    expect(claims.at_hash).toBe(
      createHash(hash).update(access_token).digest().subarray(0, half).toString('base64url'),
    );
  });

  test('a client cannot have an ID token algorithm without a key of the server [2-4]', async () => {
    for (const alg of ['none', 'HS256', 'ES384'])
      await expect(site.client({ idTokenSignedResponseAlg: alg })).rejects.toThrow(
        /ID tokens of this server are signed by/,
      );
  });

  test('a request without the scope openid gets no ID token [3.1.2.1-1]', async () => {
    const tokens = await obtainTokens(site, client, { query: { scope: 'photos:read', nonce: 'n' } });
    expect(tokens).not.toHaveProperty('id_token');
  });

  test('a request without a scope gets no ID token', async () => {
    const tokens = await obtainTokens(site, client);
    expect(tokens.scope).toBe('photos:read photos:write');
    expect(tokens).not.toHaveProperty('id_token');
  });

  test('a nonce is returned unchanged, and a nonce that is too long is refused [2-2]', async () => {
    const nonce = '"<ä&%00 \\u0000';
    const { id_token } = await signIn({ nonce });
    expect(decodeJwt<IdToken>(id_token).nonce).toBe(nonce);
    const person = await logInPerson(site);
    const refused = locationOf(
      await person.openAuthorize(codeQuery(client, { scope: 'openid', nonce: 'n'.repeat(513) })),
    );
    expect(refused.searchParams.get('error')).toBe('invalid_request');
  });

  test('a token for another API comes with an ID token, and is refused at userinfo', async () => {
    const { id_token, access_token } = await signIn({
      scope: 'openid photos:read',
      resource: 'https://api.example',
    });
    expect((await verifyIdToken(site, id_token, client)).sub).toBe('ada');
    expect((await userinfo(site, access_token)).status).toBe(401);
  });

  test('an ID token is refused as an access token', async () => {
    const { id_token } = await signIn();
    expect(await introspectAs(site, client, id_token)).toEqual({ active: false });
    expect((await userinfo(site, id_token)).status).toBe(401);
  });

  test('an ID token costs no database command', async () => {
    const count = async (scope: string) => {
      const code = await obtainCode(site, client, { query: { scope } });
      return commandsDuring(site.database, () => redeem(site, client, code).expect(200));
    };
    expect(await count('openid')).toEqual(await count('photos:read'));
  });
});

describe('§12 ID tokens of refreshes', () => {
  test('a refreshed ID token has the time of the original login, and no nonce [12.2-1] [12.2-2]', async () => {
    data = { at: AT * 1000, amr: ['pwd'] };
    const first = await signIn({ nonce: 'once' });
    data = { at: Date.now() };
    const { body } = await refresh(first.refresh_token).expect(200);
    data = undefined;
    const claims = await verifyIdToken(site, body.id_token, client);
    expect(claims).toMatchObject({ sub: 'ada', aud: client.clientId, auth_time: AT, amr: ['pwd'] });
    expect(claims).not.toHaveProperty('nonce');
    expect(claims.at_hash).not.toBe(decodeJwt<IdToken>(first.id_token).at_hash);
  });

  test('a refresh without openid in its scope gets no ID token', async () => {
    const { refresh_token } = await signIn({ scope: 'openid photos:read' });
    const { body } = await refresh(refresh_token, { scope: 'photos:read' }).expect(200);
    expect(body).not.toHaveProperty('id_token');
  });
});

describe('§5.3 userinfo', () => {
  test.each([
    ['openid', {}],
    ['openid email', { email: 'ada@photos.example', email_verified: true }],
    [
      'openid profile',
      {
        name: 'Ada Lovelace',
        'name#ja-Kana-JP': 'エイダ・ラブレス',
        family_name: 'Lovelace',
        updated_at: 1_767_323_045,
      },
    ],
    ['openid address', { address: { country: 'GB' } }],
    ['openid phone', { phone_number: '+44 20 7946 0000', phone_number_verified: false }],
    ['openid photos:write', { department: 'engines' }],
  ])(
    'userinfo for the scope %s returns the available claims of the scope, and nothing else [5.3.2-1] [5.3.2-2] [5.4-1]',
    async (scope, reported) => {
      const { access_token } = await signIn({ scope });
      const response = await userinfo(site, access_token);
      expect(response.status).toBe(200);
      expect(response.body).toEqual({ sub: 'ada', ...reported });
      expect(response.headers['content-type']).toMatch(/^application\/json/);
      expect(response.headers['cache-control']).toBe('no-store');
    },
  );

  test('userinfo accepts POST with the token in the header or the body, and not in two places [5.3.1-1] [5.3.1-2]', async () => {
    const { access_token } = await signIn();
    const post = () => request(site.server).post('/oauth/userinfo');
    const answers = [
      await post().set('Authorization', `Bearer ${access_token}`),
      await post().type('form').send({ access_token }),
      await post().type('form').set('Authorization', `Bearer ${access_token}`).send({ access_token }),
      await request(site.server).get('/oauth/userinfo').query({ access_token }),
      await post().type('json').send({ access_token }),
      await post().type('form').send('access_token=a&access_token=b'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 400, 401, 400, 400]);
    expect(answers[1]?.body).toEqual({ sub: 'ada' });
  });

  test('any origin may call userinfo and read the challenge of a refusal [5.3-1]', async () => {
    const preflight = await request(site.server)
      .options('/oauth/userinfo')
      .set({ Origin: 'https://spa.example', 'Access-Control-Request-Method': 'GET' });
    expect(preflight.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-headers': expect.stringContaining('Authorization'),
    });
    const refused = await request(site.server).get('/oauth/userinfo').set('Origin', 'https://spa.example');
    expect(refused.status).toBe(401);
    expect(refused.headers['access-control-expose-headers']).toContain('WWW-Authenticate');
    expect(refused.headers['www-authenticate']).toMatch(/^Bearer realm=/);
  });

  test('userinfo refuses a token without openid, a token of a client itself and a forged token [5.3.3-1]', async () => {
    const { access_token: other } = await obtainTokens(site, client, { query: { scope: 'photos:read' } });
    const own = await tokenRequest(site, client, { grant_type: 'client_credentials', scope: 'openid' });
    const answers = [
      await userinfo(site, other),
      await userinfo(site, own.body.access_token),
      await userinfo(site, forge({ alg: 'none' }, { sub: 'ada', scope: 'openid' })),
    ];
    expect(answers.map(({ status, body }) => [status, body.error])).toEqual([
      [403, 'insufficient_scope'],
      [403, 'insufficient_scope'],
      [401, 'invalid_token'],
    ]);
    expect(answers[0]?.headers['www-authenticate']).toContain('error="insufficient_scope"');
  });

  test('userinfo returns nothing about a person who is gone', async () => {
    const { access_token } = await signIn();
    isGone = true;
    const response = await userinfo(site, access_token);
    isGone = false;
    expect([response.status, response.body.error]).toEqual([401, 'invalid_token']);
  });

  test('the token endpoint answers invalid_grant for claims of a person who is gone, and keeps the grant', async () => {
    const claims = JSON.stringify({ id_token: { email: null } });
    const code = await obtainCode(site, client, { query: { scope: 'openid email', claims } });
    isGone = true;
    const gone = await redeem(site, client, code);
    isGone = false;
    expect([gone.status, gone.body.error]).toEqual([400, 'invalid_grant']);
    const { body } = await redeem(site, client, code).expect(200);
    isGone = true;
    const stale = await refresh(body.refresh_token);
    isGone = false;
    expect([stale.status, stale.body.error]).toEqual([400, 'invalid_grant']);
    expect((await refresh(body.refresh_token)).status).toBe(200);
  });

  test('userinfo refuses other methods', async () => {
    const response = await request(site.server).put('/oauth/userinfo');
    expect([response.status, response.headers.allow]).toEqual([405, 'GET, POST']);
  });
});

describe('Discovery §3, §4', () => {
  test('the metadata is the same at both addresses and lists the enabled features', async () => {
    const metadata = await discover(site);
    expect(metadata).toEqual(
      (await request(site.server).get('/.well-known/oauth-authorization-server').expect(200)).body,
    );
    expect(metadata).toMatchObject({
      issuer: site.url,
      userinfo_endpoint: `${site.url}/oauth/userinfo`,
      jwks_uri: `${site.url}/oauth/jwks`,
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: expect.arrayContaining(['RS256', 'ES256', 'PS256', 'EdDSA']),
      scopes_supported: expect.arrayContaining(['openid', 'profile', 'email', 'address', 'phone']),
      claims_supported: expect.arrayContaining(['sub', 'name', 'email', 'department', 'auth_time']),
    });
  });

  test('each algorithm in the metadata has a key', async () => {
    const keys = await fetchKeys(site);
    expect(keys.map(({ alg }) => alg).sort()).toEqual(['ES256', 'EdDSA', 'PS256', 'RS256']);
  });
});

describe('invalid results of functions of the site', () => {
  test.each([
    ['a rejected promise', () => Promise.reject(new Error('the database is away'))],
    ['a string', () => 'ada' as never],
    ['a list', () => [] as never],
  ])('openid.claims with %s is answered server_error without details', async (_name, claims) => {
    await using wrong = await openSite({ openid: { claims }, database: site.database, issuer: site.url });
    const { access_token } = await signIn();
    const response = await userinfo(wrong, access_token);
    expect([response.status, response.body.error]).toEqual([500, 'server_error']);
    expect(response.text).not.toContain('away');
    expect(wrong.errors.at(-1)?.detail).toMatch(/^openid\.claims/);
  });

  test.each([
    ['an invalid time', { at: 'yesterday' }],
    ['an acr that is no string', { acr: 2 }],
    ['an amr that is no list', { amr: 'pwd' }],
    ['a promise', Promise.resolve({ at: AT })],
  ])('people.authentication with %s signs nobody in', async (_name, given) => {
    data = given as never;
    const person = await logInPerson(site);
    const location = await person.authorize(codeQuery(client, { scope: 'openid' }));
    data = undefined;
    expect(location.searchParams.get('error')).toBe('server_error');
    expect(site.errors.at(-1)?.detail).toMatch(/^people\.authentication/);
  });
});

describe('keys of the site', () => {
  test('the server does not start with signingKeys.keys without an RS256 key', async () => {
    await expect(openSite({ openid, signingKeys: { keys: [hostKey().jwk] } })).rejects.toThrow(
      /signingKeys\.keys: has none for RS256/,
    );
  });

  test('the server does not start without encryptionSecret unless its issuer is on loopback', async () => {
    await expect(openSite({ openid, signingKeys: {}, issuer: 'https://photos.example' })).rejects.toThrow(
      /the option openid: needs signingKeys\.encryptionSecret/,
    );
  });
});

describe('without the option openid', () => {
  test('the metadata, endpoints and scopes of OpenID Connect need the option openid', async () => {
    await using without = await openSite();
    const { body } = await request(without.server).get('/.well-known/oauth-authorization-server');
    for (const name of Object.keys(body as object))
      expect(name).not.toMatch(/userinfo|id_token|subject_types|claim/);
    expect(body.scopes_supported).not.toContain('openid');
    for (const path of ['/.well-known/openid-configuration', '/oauth/userinfo'])
      expect((await request(without.server).get(path)).status).toBe(404);
    const person = await logInPerson(without);
    const location = await person.authorize(codeQuery(await without.client(), { scope: 'openid' }));
    expect(location.searchParams.get('error')).toBe('invalid_scope');
  });
});
