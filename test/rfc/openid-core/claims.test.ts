import { beforeAll, describe, expect, test } from '@jest/globals';
import { compactDecrypt, createLocalJWKSet, exportJWK, generateKeyPair, type JWK, jwtVerify } from 'jose';
import type { Response } from 'supertest';

import { commandsDuring } from '../../support/commands.js';
import { createProofKey, prove } from '../../support/dpop.js';
import { fetchKeys } from '../../support/jwt.js';
import { discover, openid, userinfo, verifyIdToken } from '../../support/openid.js';
import {
  codeQuery,
  createPerson,
  errorOf,
  fragmentOf,
  locationOf,
  logInPerson,
  type Query,
} from '../../support/person.js';
import { REDIRECT_URI, SCOPES } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';
import { obtainCode, obtainTokens, redeem, refreshTokens } from '../../support/tokens.js';

let data: Record<string, unknown> | undefined;
let requestedFor: readonly string[] = [];
/** The last argument of each call of `claims`. */
const heard: { readonly claimsLocales: readonly string[] }[] = [];
/** What `claims` returns instead of the data of the person; null for a person who is gone. */
let said: Record<string, unknown> | null | undefined;
/** Claims that only the server sets. (RFC 7519 §4.1, OpenID Connect Core §2) */
const OWN_CLAIMS = [
  ...['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti', 'auth_time', 'nonce', 'acr', 'amr', 'azp'],
  ...['at_hash', 'c_hash', 's_hash', 'sid', 'cnf'],
];

const site = siteFor({
  openid: {
    claims(userId, scopes, requested) {
      requestedFor = scopes;
      heard.push(requested);
      return said === undefined ? openid.claims(userId, scopes, requested) : said;
    },
    scopeClaims: { 'photos:write': ['department', ...OWN_CLAIMS] },
    responseTypes: ['id_token'],
  },
  people: { authentication: () => data },
  grantTypes: ['authorization_code', 'refresh_token', 'implicit'],
  scopes: { 'photos:read': SCOPES['photos:read'], 'photos:write': SCOPES['photos:write'] },
  dpop: true,
});
const client = fixture(() => site.client());

type Tokens = Awaited<ReturnType<typeof obtainTokens>> & { id_token: string };
const signIn = (claims: object, { by = client, scope = 'openid' } = {}) =>
  obtainTokens(site, by, { query: { scope, claims: JSON.stringify(claims) } }) as Promise<Tokens>;
async function ask(claims: unknown, query: Query = {}): Promise<Response> {
  const person = await logInPerson(site);
  return person.openAuthorize(
    codeQuery(client, {
      scope: 'openid',
      claims: typeof claims === 'string' ? claims : JSON.stringify(claims),
      ...query,
    }),
  );
}
/** The response to a request for nothing but an ID token. */
async function askAlone(query: Query): Promise<URLSearchParams> {
  const person = await logInPerson(site);
  const url = await person.authorize({
    response_type: 'id_token',
    client_id: client.clientId,
    redirect_uri: REDIRECT_URI,
    ...query,
  });
  return fragmentOf(url);
}

describe('§5.5 single claims', () => {
  test('openid.claims gets the claims_locales for userinfo and ID tokens, also after a refresh', async () => {
    const query = { scope: 'openid email', claims_locales: 'fr-CA de', claims: '{"id_token":{"name":null}}' };
    const requested = () => heard.splice(0).map(({ claimsLocales }) => claimsLocales);
    requested();
    const tokens = (await obtainTokens(site, client, { query })) as Tokens;
    const { refresh_token } = tokens;
    const { body } = await refreshTokens(site, client, refresh_token);
    await userinfo(site, body.access_token).expect(200);
    expect(requested()).toEqual([
      ['fr-CA', 'de'],
      ['fr-CA', 'de'],
      ['fr-CA', 'de'],
    ]);
    await userinfo(site, (await signIn({})).access_token);
    expect(requested()).toEqual([[]]);
  });

  test('requested claims are returned where they were requested, and grant no scope [5.5-1]', async () => {
    const { id_token, access_token, scope, refresh_token } = await signIn({
      userinfo: { email: { essential: true }, 'name#ja-Kana-JP': null, passwordHash: null, nobody_has: null },
      id_token: { phone_number: null, department: { essential: true } },
      other: { is: 'ignored' },
    });
    expect(scope).toBe('openid');
    expect((await userinfo(site, access_token)).body).toEqual({
      sub: 'ada',
      email: 'ada@photos.example',
      'name#ja-Kana-JP': 'エイダ・ラブレス',
    });
    expect([...requestedFor].sort()).toEqual(['email', 'openid', 'profile']);
    const reported = { phone_number: '+44 20 7946 0000', department: 'engines' };
    const claims = await verifyIdToken(site, id_token, client);
    expect(claims).toMatchObject(reported);
    expect(claims).not.toHaveProperty('email');
    const refreshed = await refreshTokens(site, client, refresh_token);
    expect(await verifyIdToken(site, refreshed.body.id_token, client)).toMatchObject(reported);
  });

  test('the consent page lists requested claims, and the person may refuse some', async () => {
    const page = await ask({ userinfo: { email: null, phone_number: null } }, { prompt: 'consent' });
    expect(page.text).toContain('See your e-mail address');
    expect(page.text).toContain('See your phone number');
    const tokens = (await obtainTokens(site, client, {
      query: { scope: 'openid', claims: JSON.stringify({ userinfo: { email: null, phone_number: null } }) },
      choice: { scopes: ['openid', 'claim\\email'] },
      as: 'grace',
    })) as Tokens;
    expect(tokens.scope).toBe('openid');
    expect((await userinfo(site, tokens.access_token)).body).toEqual({
      sub: 'grace',
      email: 'ada@photos.example',
    });
  });

  test('claims of a scope outside the registration of the client are omitted without an error [5.5.1-1]', async () => {
    const narrow = await site.client({ scopes: ['openid', 'email'] });
    const { access_token } = await signIn(
      { userinfo: { name: { essential: true }, email: null } },
      { by: narrow },
    );
    expect((await userinfo(site, access_token)).body).toEqual({ sub: 'ada', email: 'ada@photos.example' });
  });

  test('a claim that is requested with a value is returned only with that value', async () => {
    const { access_token } = await signIn({
      userinfo: {
        email: { value: 'ada@photos.example' },
        phone_number: { values: ['+1', '+2'] },
        address: { values: [{ country: 'GB' }] },
      },
    });
    expect((await userinfo(site, access_token)).body).toEqual({
      sub: 'ada',
      email: 'ada@photos.example',
      address: { country: 'GB' },
    });
  });

  test('a request for iss, exp or aud does not change the ID token', async () => {
    const { id_token } = await signIn({ id_token: { iss: null, exp: null, aud: { value: 'x' } } });
    expect(await verifyIdToken(site, id_token, client)).toMatchObject({ iss: site.url, sub: 'ada' });
  });

  test('openid.claims cannot replace claims of the server, by a request or by a scope', async () => {
    const names = [...OWN_CLAIMS, 'sub#en'];
    said = Object.fromEntries([...names, 'department'].map((name) => [name, 'of the host']));
    const all = Object.fromEntries([...names, 'department'].map((name) => [name, null]));
    const scope = 'openid photos:write';
    const { access_token, id_token, refresh_token } = await signIn(
      { userinfo: all, id_token: all },
      { scope },
    );
    const reported = (claims: object) =>
      Object.entries(claims).flatMap(([name, value]) => (value === 'of the host' ? [name] : []));
    expect((await userinfo(site, access_token)).body).toEqual({ sub: 'ada', department: 'of the host' });
    expect(reported(await verifyIdToken(site, id_token, client))).toEqual(['department']);
    const refreshed = await refreshTokens(site, client, refresh_token);
    expect(reported(await verifyIdToken(site, refreshed.body.id_token, client))).toEqual(['department']);
    // an ID token alone has all claims of the scopes
    const alone = await askAlone({ scope, nonce: 'n', claims: JSON.stringify({ id_token: all }) });
    const claims = await verifyIdToken(site, String(alone.get('id_token')), client);
    expect([claims.sub, claims.nonce, reported(claims)]).toEqual(['ada', 'n', ['department']]);
    said = undefined;
  });

  test.each([
    ['no JSON', '{'],
    ['null', 'null'],
    ['a list', '[]'],
    ['a string', '"email"'],
    ['a member that is a list', { userinfo: [] }],
    ['a claim that is true', { userinfo: { email: true } }],
    ['essential as a string', { id_token: { email: { essential: 'yes' } } }],
    ['values that are no list', { id_token: { email: { values: 'a' } } }],
    ['a name too long', { userinfo: { ['x'.repeat(101)]: null } }],
    ['too many', { userinfo: Object.fromEntries(Array.from({ length: 61 }, (_each, n) => [`c${n}`, null])) }],
    ['quotes in a name', { userinfo: { 'a"\\\r\nSet-Cookie: x': 1 } }],
  ])('requested claims are refused: %s [5.5-2]', async (_name, claims) => {
    expect(errorOf(await ask(claims))).toBe('invalid_request');
  });

  test('names with a meaning in JavaScript or MongoDB are plain claim names', async () => {
    const { access_token } = await signIn(
      JSON.parse('{"userinfo":{"__proto__":null,"constructor":null,"$where":null,"a.b":null}}') as object,
    );
    expect((await userinfo(site, access_token)).body).toEqual({ sub: 'ada' });
  });

  test('requested claims cost no database command', async () => {
    const { access_token } = await signIn({ userinfo: { email: null } });
    await userinfo(site, access_token);
    expect(await commandsDuring(site.database, () => userinfo(site, access_token).expect(200))).toEqual([
      'find oauth_grants',
    ]);
  });
});

describe('§5.5.1 acr and sub as requested claims', () => {
  const needing = (acr: object) => ({ id_token: { acr: { essential: true, ...acr } } });

  test('a login with a required acr is accepted', async () => {
    data = { acr: 'urn:two' };
    const { id_token } = await signIn(needing({ values: ['urn:three', 'urn:two'] }));
    data = undefined;
    expect((await verifyIdToken(site, id_token, client)).acr).toBe('urn:two');
  });

  test('a login without the required acr leads to a new login, then to unmet_authentication_requirements [5.5.1.1-1]', async () => {
    const person = await logInPerson(site);
    data = { acr: 'urn:one' };
    const query = codeQuery(client, {
      scope: 'openid',
      claims: JSON.stringify(needing({ values: ['urn:two', 'urn:three'] })),
    });
    const page = await person.openAuthorize(query);
    expect(page.text).toContain('Please log in again');
    await person.agent.post('/logout');
    const login = locationOf(await person.openAuthorize(query));
    expect(login.searchParams.get('acr_values')).toBe('urn:two urn:three');
    await person.logIn();
    const back = await person.agent.get(String(login.searchParams.get('return_to')));
    expect(errorOf(back)).toBe('unmet_authentication_requirements');
    expect(errorOf(await person.openAuthorize({ ...query, prompt: 'none' }))).toBe(
      'unmet_authentication_requirements',
    );
    data = undefined;
  });

  test('preferred acr values of the request or the registration are passed to the login page', async () => {
    const liking = await site.client({ defaultAcrValues: ['urn:two'] });
    const base = codeQuery(liking, { scope: 'openid' });
    const stranger = createPerson(site);
    const hinted = async (query: Query) =>
      locationOf(await stranger.openAuthorize({ ...base, ...query })).searchParams.get('acr_values');
    expect([await hinted({}), await hinted({ acr_values: 'urn:one' })]).toEqual(['urn:two', 'urn:one']);
  });

  test('a request for the sub of another person is refused with login_required [5.5.1-2]', async () => {
    expect(errorOf(await ask({ id_token: { sub: { value: 'grace' } } }, { prompt: 'none' }))).toBe(
      'login_required',
    );
    // in userinfo or in id_token; a list has alternatives
    for (const claims of [
      { userinfo: { sub: { value: 'grace' } }, id_token: { sub: null } },
      { userinfo: { sub: { value: 'ada' } }, id_token: { sub: { values: ['grace', 'bob'] } } },
    ])
      expect(errorOf(await ask(claims, { prompt: 'none' }))).toBe('login_required');
    const { id_token } = await signIn({ id_token: { sub: { values: ['grace', 'ada'] } } });
    expect((await verifyIdToken(site, id_token, client)).sub).toBe('ada');
  });
});

describe('signed and encrypted claims', () => {
  let jwk: JWK;
  let privateKey: Parameters<typeof compactDecrypt>[1];
  beforeAll(async () => {
    const pair = await generateKeyPair('ECDH-ES', { extractable: true });
    ({ privateKey } = pair);
    jwk = { ...(await exportJWK(pair.publicKey)), use: 'enc', alg: 'ECDH-ES' };
  });
  const open = async (jwe: string) => {
    const { plaintext, protectedHeader } = await compactDecrypt(jwe, privateKey);
    return { text: new TextDecoder().decode(plaintext), cty: protectedHeader.cty };
  };
  const keys = { jwks: { keys: [] as never } };

  test('userinfo returns a JWT to a client with userinfoSignedResponseAlg [5.3.2-3]', async () => {
    const signed = await site.client({ userinfoSignedResponseAlg: 'RS256' });
    const { access_token } = await signIn({}, { by: signed, scope: 'openid email' });
    const response = await userinfo(site, access_token);
    expect(response.headers['content-type']).toBe('application/jwt');
    const { payload } = await jwtVerify(
      response.text || String(response.body),
      createLocalJWKSet({ keys: await fetchKeys(site) }),
      {
        issuer: site.url,
        audience: signed.clientId,
      },
    );
    expect(payload).toMatchObject({ sub: 'ada', email: 'ada@photos.example' });
  });

  test.each([
    ['signed and encrypted', { userinfoSignedResponseAlg: 'RS256' }, 'JWT'],
    ['encrypted', {}, undefined],
  ])('userinfo is %s to the key of its client [5.3.2-4]', async (_name, more, type) => {
    const other = await site.client({
      ...keys,
      jwks: { keys: [jwk as never] },
      tokenEndpointAuthMethod: 'client_secret_basic',
      userinfoEncryptedResponseAlg: 'ECDH-ES',
      ...more,
    });
    const { access_token } = await signIn({}, { by: other, scope: 'openid email' });
    const { text, cty } = await open((await userinfo(site, access_token)).text);
    expect(cty).toBe(type);
    const claims =
      type === undefined
        ? JSON.parse(text)
        : JSON.parse(Buffer.from(text.split('.')[1]!, 'base64url').toString());
    expect(claims).toMatchObject({ sub: 'ada', email: 'ada@photos.example' });
  });

  test('an ID token is signed, then encrypted [2-5]', async () => {
    const other = await site.client({
      jwks: { keys: [jwk as never] },
      tokenEndpointAuthMethod: 'client_secret_basic',
      idTokenEncryptedResponseAlg: 'ECDH-ES',
      idTokenEncryptedResponseEnc: 'A256GCM',
    });
    const { id_token } = await signIn({}, { by: other });
    const { text, cty } = await open(id_token);
    expect(cty).toBe('JWT');
    expect((await verifyIdToken(site, text, other)).sub).toBe('ada');
  });

  test('the metadata lists the algorithms for claims', async () => {
    expect(await discover(site)).toMatchObject({
      claims_parameter_supported: true,
      userinfo_signing_alg_values_supported: expect.arrayContaining(['RS256']),
      id_token_encryption_alg_values_supported: expect.arrayContaining(['ECDH-ES', 'RSA-OAEP-256']),
      userinfo_encryption_enc_values_supported: expect.arrayContaining(['A128CBC-HS256']),
    });
  });
});

describe('an ID token without an access token', () => {
  test('an ID token without an access token has the claims of the scopes and of the request', async () => {
    const trusted = await site.client({ trusted: true });
    const person = await logInPerson(site);
    const url = await person.authorize({
      response_type: 'id_token',
      client_id: trusted.clientId,
      redirect_uri: REDIRECT_URI,
      scope: 'openid email',
      nonce: 'n',
      claims: JSON.stringify({ id_token: { department: null } }),
    });
    expect(await verifyIdToken(site, String(fragmentOf(url).get('id_token')), trusted)).toMatchObject({
      email: 'ada@photos.example',
      department: 'engines',
    });
  });
});

test('a person who is gone gets access_denied at the authorization endpoint', async () => {
  said = null;
  const answer = await askAlone({ scope: 'openid email', nonce: 'n', state: 'mine' });
  said = undefined;
  expect(Object.fromEntries(answer)).toEqual({
    error: 'access_denied',
    error_description: 'the person who has signed in is not here any more',
    state: 'mine',
    iss: site.url,
  });
  expect(site.errors.at(-1)).toMatchObject({
    error: 'access_denied',
    detail: 'openid.claims gave nobody for ada',
  });
});

describe('§11 offline_access', () => {
  test('offline_access needs consent unless it was allowed before, also for trusted clients [11-3]', async () => {
    const trusted = await site.client({ trusted: true, applicationType: 'web' });
    const scope = 'openid offline_access';
    for (const [by, as] of [
      [client, 'eve'],
      [trusted, 'ada'],
    ] as const) {
      const person = await logInPerson(site, as);
      const query = codeQuery(by, { scope });
      // a client without consent does not learn whether a person is logged in
      expect(errorOf(await person.openAuthorize({ ...query, prompt: 'none' }))).toBe(
        by.trusted ? 'consent_required' : 'login_required',
      );
      const page = await person.openAuthorize(query);
      expect(page.text).toContain('Keep this access while you are not using it');
      await person.choose(page, { scopes: ['openid'] });
      const again = await person.openAuthorize(query);
      expect(again.text).toContain('Keep this access while you are not using it');
      await person.choose(again);
      expect(locationOf(await person.openAuthorize(query)).searchParams.has('code')).toBe(true);
    }
    const plain = await ask({}, { client_id: trusted.clientId });
    expect(locationOf(plain).searchParams.has('code')).toBe(true);
  });

  test('offline_access brings a refresh token after consent, and is ignored without a code [11-1] [11-2]', async () => {
    const page = await ask({}, { scope: 'openid offline_access' });
    expect(page.text).toContain('Keep this access while you are not using it');
    const tokens = await signIn({}, { scope: 'openid offline_access' });
    expect([tokens.scope, typeof tokens.refresh_token]).toEqual(['openid offline_access', 'string']);
    const implicit = await ask({}, { scope: 'openid offline_access', response_type: 'id_token', nonce: 'n' });
    expect(implicit.text).not.toContain('Keep this access');
  });
});

describe('a token that is bound to a key', () => {
  test('a DPoP-bound token reads userinfo only with a proof', async () => {
    const key = await createProofKey();
    const code = await obtainCode(site, client, { query: { scope: 'openid' } });
    const { body } = await redeem(site, client, code).set(
      'DPoP',
      await prove(key, 'POST', `${site.url}/oauth/token`),
    );
    const call = async (scheme: string, proof?: string) => {
      const test = userinfo(site, body.access_token).set('Authorization', `${scheme} ${body.access_token}`);
      return (proof === undefined ? await test : await test.set('DPoP', proof)).status;
    };
    const proof = await prove(key, 'GET', `${site.url}/oauth/userinfo`, { accessToken: body.access_token });
    expect([await call('Bearer'), await call('DPoP'), await call('DPoP', proof)]).toEqual([401, 401, 200]);
  });
});
