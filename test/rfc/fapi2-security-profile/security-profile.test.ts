import { describe, expect, test } from '@jest/globals';
import request, { type Response } from 'supertest';

import type { AuthorizationServerOptions, NewClient } from '../../../lib/index.js';
import { createTestKey } from '../../support/assertions.js';
import { letPass } from '../../support/clock.js';
import { createProofKey, prove } from '../../support/dpop.js';
import { askAs, authorizeAs, createFapiClient, credentialsOf, pushAs, redeemAs } from '../../support/fapi.js';
import { codeQuery, locationOf, logInPerson } from '../../support/person.js';
import { openSite, REDIRECT_URI, type Site } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';
import { openTlsSite, postByTls } from '../../support/tls-site.js';
import { basic, createPkce, postToken } from '../../support/tokens.js';

const GRANT_TYPES = ['authorization_code', 'refresh_token', 'client_credentials'] as const;
const outcomeOf = ({ status, body }: Response) => [status, (body as { error?: string }).error];

describe('options that break a requirement do not start', () => {
  test.each<[string, Partial<AuthorizationServerOptions>, RegExp]>([
    [
      '5.2.1-1',
      { security: { dangerouslyAllowInsecureHttp: true } },
      /security.dangerouslyAllowInsecureHttp: .*§5.2.1-1/,
    ],
    ['5.3.2.1-2', { grantTypes: ['authorization_code', 'password'] }, /grantTypes: .*§5.3.2.1-2/],
    ['5.3.2.1-4', { dpop: false }, /dpop: .*§5.3.2.1-4/],
    [
      '5.3.2.1-8',
      { clientAuthentication: { assertions: { audience: 'issuer_or_token_endpoint' } } },
      /clientAuthentication.assertions.audience: .*§5.3.2.1-8/,
    ],
    ['5.3.2.1-11', { lifetimes: { authorizationCode: 61 } }, /lifetimes.authorizationCode: .*§5.3.2.1-11/],
    ['5.3.2.1-13', { security: { clockTolerance: 9 } }, /security.clockTolerance: .*§5.3.2.1-13/],
    ['5.3.2.2-1', { grantTypes: ['authorization_code', 'implicit'] }, /grantTypes: .*§5.3.2.2-1/],
    ['5.3.2.2-2', { pushedRequests: false }, /pushedRequests: .*§5.3.2.2-2/],
    ['5.3.2.2-3', { pushedRequests: true }, /pushedRequests: .*§5.3.2.2-3/],
    ['5.3.2.2-5', { security: { pkce: 'public' } }, /security.pkce: .*§5.3.2.2-5/],
    ['5.3.2.2-12', { pushedRequests: { required: true, ttl: 600 } }, /pushedRequests.ttl: .*§5.3.2.2-12/],
    ['5.3.2.2-9', { tokens: { reuseGrace: 1 } }, /tokens.reuseGrace: .*§5.3.2.2-9/],
    ['5.3.4-2', { guard: { bearerMethods: ['header', 'query'] } }, /guard.bearerMethods: .*§5.3.4-2/],
    [
      '5.4.1-1',
      { signingKeys: { algorithm: 'RS256', encryptionSecret: 'of the test, with its 32 characters' } },
      /signingKeys: .*§5.4.1-1/,
    ],
  ])('%s: the server does not start with %j [5.3.2.1-0]', async (_section, options, message) => {
    await expect(
      openSite({
        profile: 'fapi2',
        people: { authenticate: () => Promise.resolve(null) },
        ...options,
      }),
    ).rejects.toThrow(message);
  });

  test('the server does not start with an unknown profile', async () => {
    await expect(openSite({ profile: 'fapi1' as 'fapi2' })).rejects.toThrow(
      /profile must be 'fapi2' or 'fapi2-message-signing'/,
    );
  });

  test('the profile fapi2 implies its options, and accepts mutual TLS instead of DPoP [5.3.2.1-5]', async () => {
    const both = await openSite({
      profile: 'fapi2',
      pushedRequests: { required: true },
      security: { pkce: 'all' },
    });
    await both.close();
    await using byTls = await openSite({ profile: 'fapi2', mutualTls: true });
    const { body } = await request(byTls.server).get('/.well-known/oauth-authorization-server');
    expect(body).toMatchObject({ tls_client_certificate_bound_access_tokens: true });
    expect(body).not.toHaveProperty('dpop_signing_alg_values_supported');
  });
});

/** The profile as an option of the site, and of one client at a site without that option. */
describe.each(['of the site', 'of one client'])('the profile %s', (whose) => {
  const isOfSite = whose === 'of the site';
  /** The scopes that the policy of the site leaves in a refreshed token. */
  let left: { readonly scopes: readonly string[] } | undefined;
  const policy = { onRefresh: () => left };
  const granted: Partial<NewClient> = isOfSite ? {} : { profile: 'fapi2' };

  const others: Partial<AuthorizationServerOptions> = {
    grantTypes: [...GRANT_TYPES, 'password', 'implicit'],
    pushedRequests: true,
    dpop: true,
    security: { pkce: 'optional' },
    lifetimes: { authorizationCode: 300 },
    tokens: { reuseGrace: 30 },
    clientAuthentication: { assertions: { audience: 'issuer_or_token_endpoint' } },
  };
  const profiled = { profile: 'fapi2', grantTypes: GRANT_TYPES } as const;
  const key = fixture(() => createProofKey());
  const site = siteFor({ ...(isOfSite ? profiled : others), policy });
  const fapi = fixture(() => createFapiClient(site, granted));

  test('a client that meets all FAPI 2.0 requirements gets a DPoP-bound token [5.3.2.1-5] [5.3.2.2-2] [5.3.2.2-7] [5.3.2.2-9]', async () => {
    const answer = await authorizeAs(fapi);
    expect(answer.location.searchParams.get('iss')).toBe(site.url);
    const { status, body } = await redeemAs(fapi, answer, key);
    expect([status, body.token_type]).toEqual([200, 'DPoP']);
    const accessToken = body.access_token as string;
    const proof = await prove(key, 'GET', `${site.url}/api/me`, { accessToken });
    const me = await request(site.server)
      .get('/api/me')
      .set({ Authorization: `DPoP ${accessToken}`, DPoP: proof });
    expect(me.body.cnf).toEqual({ jkt: key.jkt });
    expect(outcomeOf(await redeemAs(fapi, answer, key))).toEqual([400, 'invalid_grant']);
  });

  test('5.3.2.1-4 an unbound access token is not issued, and the code remains valid [5.3.2.1-4]', async () => {
    const answer = await authorizeAs(fapi);
    expect(outcomeOf(await redeemAs(fapi, answer))).toEqual([400, 'invalid_request']);
    expect((await redeemAs(fapi, answer, key)).status).toBe(200);
    const byHost = site.oauth.grants.create({ clientId: fapi.client.clientId, userId: 'ada' });
    await expect(byHost).rejects.toThrow(/bound to a key or a certificate/);
  });

  test.each<[string, Partial<NewClient>, RegExp]>([
    ['3 a public client', { type: 'public', tokenEndpointAuthMethod: 'none', jwks: undefined }, /./],
    ['6 a client with a secret', { tokenEndpointAuthMethod: undefined, jwks: undefined }, /private_key_jwt/],
  ])('5.3.2.1-%s is not registered [5.3.2.1-3] [5.3.2.1-6]', async (_what, options, message) => {
    const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
    const without = { jwks: undefined, tokenEndpointAuthMethod: undefined };
    await expect(
      site.client({ grantTypes: ['authorization_code'], ...granted, ...without, ...given }),
    ).rejects.toThrow(message);
  });

  test('5.3.2.1-6 a client cannot authenticate with a secret or without credentials [5.3.2.1-6]', async () => {
    const { clientId } = fapi.client;
    const sent = postToken(site, { grant_type: 'client_credentials' });
    expect((await sent.set('Authorization', basic(clientId, 'guess'))).body.error).toBe('invalid_client');
    const named = await postToken(site, { grant_type: 'client_credentials', client_id: clientId });
    expect(named.body.error).toBe('invalid_client');
  });

  test('5.3.2.1-8 a client assertion is refused unless its aud is the issuer as a string [5.3.2.1-8]', async () => {
    for (const aud of [[site.url], [site.url, 'https://other.example'], `${site.url}/oauth/token`]) {
      const credentials = await credentialsOf(fapi, { claims: { aud } });
      expect((await pushAs(fapi, credentials)).body.error).toBe('invalid_client');
    }
  });

  test('5.3.2.1-9 a refresh token is not rotated, and works again with the same or another proof key [5.3.2.1-9]', async () => {
    const { body } = await redeemAs(fapi, await authorizeAs(fapi), key);
    const refresh = (by = key) =>
      askAs(fapi, { grant_type: 'refresh_token', refresh_token: body.refresh_token as string }, by);
    const tokens: string[] = [body.access_token as string];
    // no use counts as reuse, not even a concurrent use
    for (const next of [await refresh(), ...(await Promise.all([refresh(), refresh()]))]) {
      expect([next.status, next.body.refresh_token]).toEqual([200, undefined]);
      tokens.push(next.body.access_token as string);
    }
    // the token is bound to the client, which may use a new key
    expect((await refresh(await createProofKey())).status).toBe(200);
    for (const accessToken of tokens) {
      const proof = await prove(key, 'GET', `${site.url}/api/me`, { accessToken });
      const headers = { Authorization: `DPoP ${accessToken}`, DPoP: proof };
      expect((await request(site.server).get('/api/me').set(headers)).status).toBe(200);
    }
    expect(
      outcomeOf(await askAs(fapi, { grant_type: 'refresh_token', refresh_token: 'nonsense' }, key)),
    ).toEqual([400, 'invalid_grant']);
  });

  test('5.3.2.1-9 a refresh that the policy narrows reports only the remaining scopes', async () => {
    const { body } = await redeemAs(fapi, await authorizeAs(fapi, { scope: 'photos:read profile' }), key);
    const reported: unknown[] = [];
    site.oauth.events.once('token.issued', ({ scopes }) => reported.push(scopes));
    left = { scopes: ['profile'] };
    const next = await askAs(fapi, { grant_type: 'refresh_token', refresh_token: body.refresh_token }, key);
    left = undefined;
    expect([next.body.scope, reported]).toEqual(['profile', [['profile']]]);
  });

  test('5.3.2.1-11 an authorization code expires after a minute [5.3.2.1-11]', async () => {
    const answer = await authorizeAs(fapi);
    letPass(61);
    expect(outcomeOf(await redeemAs(fapi, answer, key))).toEqual([400, 'invalid_grant']);
  });

  test('5.3.2.1-12 an authorization code is bound to the dpop_jkt of the pushed request [5.3.2.1-12]', async () => {
    const { challenge, code_verifier } = createPkce();
    const answer = await authorizeAs(fapi, { ...challenge, dpop_jkt: key.jkt });
    const bound = { ...answer, code_verifier };
    expect((await redeemAs(fapi, bound, await createProofKey())).body.error).toBe('invalid_grant');
    expect((await redeemAs(fapi, bound, key)).status).toBe(200);
  });

  test('5.3.2.1-13 the clock of a client may be eight seconds ahead, but not a minute [5.3.2.1-13]', async () => {
    const at = (seconds: number) => ({ iat: Math.floor(Date.now() / 1000) + seconds });
    const push = async (claims: object) => pushAs(fapi, await credentialsOf(fapi, { claims: { ...claims } }));
    for (const early of [at(8), { nbf: at(8).iat }]) expect((await push(early)).status).toBe(201);
    for (const wrong of [at(61), { nbf: at(61).iat }])
      expect((await push(wrong)).body.error).toBe('invalid_client');
    const withProof = async (claims: object) =>
      postToken(site, { grant_type: 'client_credentials', ...(await credentialsOf(fapi)) }).set(
        'DPoP',
        await prove(key, 'POST', `${site.url}/oauth/token`, { claims: { ...claims } }),
      );
    expect((await withProof(at(8))).status).toBe(200);
    expect((await withProof(at(61))).body.error).toBe('invalid_dpop_proof');
  });

  test.each([
    ['1 response_type token', { response_type: 'token' }],
    ['5 without PKCE', { code_challenge: undefined, code_challenge_method: undefined }],
    ['5 with the PKCE method plain', { code_challenge_method: 'plain' }],
    ['6 without redirect_uri', { redirect_uri: undefined }],
  ])('5.3.2.2-%s, a pushed request is refused [5.3.2.2-1] [5.3.2.2-5] [5.3.2.2-6]', async (_what, fields) => {
    expect((await pushAs(fapi, fields)).status).toBe(400);
  });

  test('5.3.2.2-3 a request that is not pushed is refused [5.3.2.2-3]', async () => {
    const person = await logInPerson(site);
    const query = codeQuery(fapi.client.clientId);
    const { searchParams } = locationOf(await person.openAuthorize({ ...query, ...createPkce().challenge }));
    expect([searchParams.get('error'), searchParams.get('code')]).toEqual(['invalid_request', null]);
  });

  test('5.3.2.2-4 a pushed request without client authentication is refused [5.3.2.2-4]', async () => {
    const none = { client_assertion: undefined, client_assertion_type: undefined };
    expect((await pushAs(fapi, none)).body.error).toBe('invalid_client');
  });

  test('5.3.2.2-12 a request_uri expires in less than ten minutes [5.3.2.2-12]', async () => {
    expect((await pushAs(fapi)).body.expires_in).toBeLessThan(600);
  });

  test('5.4.1-1 an assertion or a DPoP proof with another algorithm is refused [5.4.1-1]', async () => {
    for (const alg of ['RS256', 'ES384', 'PS512']) {
      const other = await createTestKey(alg);
      const { client } = await createFapiClient(site, { ...granted, jwks: { keys: [other.publicJwk] } });
      expect((await pushAs({ site, client, key: other })).body.error).toBe('invalid_client');
      const refused = await askAs(fapi, { grant_type: 'client_credentials' }, await createProofKey(alg));
      expect(refused.body.error).toBe('invalid_dpop_proof');
    }
    for (const alg of ['PS256', 'EdDSA']) {
      const other = await createTestKey(alg);
      const { client } = await createFapiClient(site, { ...granted, jwks: { keys: [other.publicJwk] } });
      expect((await pushAs({ site, client, key: other })).status).toBe(201);
      expect(
        (await askAs(fapi, { grant_type: 'client_credentials' }, await createProofKey(alg))).status,
      ).toBe(200);
    }
  });

  test('5.4.3 a client with several keys of the same kid may use each of these keys [5.4.3-1]', async () => {
    const [ec, rsa] = [await createTestKey('ES256', 'one'), await createTestKey('PS256', 'one')];
    const again = await createTestKey('ES256', 'one');
    const jwks = { keys: [rsa.publicJwk, ec.publicJwk, again.publicJwk] };
    const { client } = await createFapiClient(site, { ...granted, jwks });
    for (const by of [ec, rsa, again]) expect((await pushAs({ site, client, key: by })).status).toBe(201);
  });

  test('5.2.3-3 the authorization endpoint has no CORS headers [5.2.3-3]', async () => {
    const context = request(site.server).get('/oauth/authorize').set('Origin', 'https://other.example');
    expect((await context).headers).not.toHaveProperty('access-control-allow-origin');
  });
});

describe('a site with the profile', () => {
  const site = siteFor({ profile: 'fapi2' });

  test('the metadata of a site with the profile fapi2 states the requirements [5.3.2.1-1] [5.4.1-1]', async () => {
    const { body } = await request(site.server).get('/.well-known/oauth-authorization-server');
    const algorithms = ['PS256', 'ES256', 'EdDSA', 'Ed25519'];
    expect(body).toMatchObject({
      require_pushed_authorization_requests: true,
      token_endpoint_auth_methods_supported: ['private_key_jwt'],
      token_endpoint_auth_signing_alg_values_supported: expect.arrayContaining(algorithms),
      dpop_signing_alg_values_supported: algorithms,
      authorization_response_iss_parameter_supported: true,
      code_challenge_methods_supported: ['S256'],
      response_types_supported: ['code'],
    });
    expect(body.token_endpoint_auth_signing_alg_values_supported).toHaveLength(algorithms.length);
    const resource = await request(site.server).get('/.well-known/oauth-protected-resource');
    expect(resource.body.dpop_signing_alg_values_supported).toEqual(algorithms);
  });

  test('5.3.4-5 an unbound token from the time before the profile is refused [5.3.4-5]', async () => {
    await using before = await openSite({ database: site.database, issuer: site.url });
    const client = await before.client({ grantTypes: ['client_credentials'] });
    const { body } = await postToken(before, { grant_type: 'client_credentials' }).set(
      'Authorization',
      basic(client.clientId, client.clientSecret!),
    );
    const call = (of: Site) =>
      request(of.server)
        .get('/api/me')
        .set('Authorization', `Bearer ${body.access_token as string}`);
    expect((await call(before)).status).toBe(200);
    expect(outcomeOf(await call(site))).toEqual([401, 'invalid_token']);
    // the secret of the client no longer works
    const again = postToken(site, { grant_type: 'client_credentials' });
    const refused = await again.set('Authorization', basic(client.clientId, client.clientSecret!));
    expect(refused.body.error).toBe('invalid_client');
  });

  test('dynamic registration with the profile fapi2 accepts only private_key_jwt [5.3.2.1-6]', async () => {
    await using open = await openSite({ profile: 'fapi2', registration: { open: true } });
    const { publicJwk } = await createTestKey();
    const register = (metadata: object) =>
      request(open.server)
        .post('/oauth/register')
        .send({ redirect_uris: [REDIRECT_URI], ...metadata });
    expect((await register({})).body.error).toBe('invalid_client_metadata');
    expect((await register({ token_endpoint_auth_method: 'none' })).status).toBe(400);
    const keys = { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [publicJwk] } };
    expect((await register(keys)).status).toBe(201);
  });
});

test('5.3.2.1-5 a client with mutual TLS gets tokens bound to its certificate by default [5.3.2.1-4] [5.3.2.1-5]', async () => {
  await using site = await openTlsSite({ profile: 'fapi2', mutualTls: true });
  const client = await site.client({
    grantTypes: ['client_credentials'],
    tokenEndpointAuthMethod: 'tls_client_auth',
    tlsClientAuthSanDns: 'shop.example',
  });
  const fields = { grant_type: 'client_credentials', client_id: client.clientId };
  const { status, body } = await postByTls(site.secureUrl, '/oauth/token', fields, 'shop');
  expect([status, body.token_type]).toEqual([200, 'Bearer']);
  const call = (name?: 'shop') =>
    postByTls(site.secureUrl, '/oauth/token', fields, name).then(({ status: answered }) => answered);
  expect([await call('shop'), await call()]).toEqual([200, 401]);
  const stored = await site.database.collection('oauth_grants').findOne({ clientId: client.clientId });
  expect(stored?.accessTokens).toEqual([expect.objectContaining({ x5tS256: expect.any(String) })]);
});

test.each<[Partial<AuthorizationServerOptions>, RegExp]>([
  [{ dpop: true }, /No client can be held to fapi2 here: the option pushedRequests/],
  [{ pushedRequests: true }, /the option dpop/],
  [{ pushedRequests: { ttl: 900 }, dpop: true }, /the option pushedRequests.ttl/],
])('a client cannot have the profile fapi2 at a site with %j', async (options, message) => {
  await using site = await openSite(options);
  await expect(createFapiClient(site, { profile: 'fapi2' })).rejects.toThrow(message);
});

test('a client with the profile fapi2 is refused once the site has no pushed requests [5.3.2.2-3]', async () => {
  await using before = await openSite({ pushedRequests: true, dpop: true });
  const { client } = await createFapiClient(before, { profile: 'fapi2' });
  await using after = await openSite({ dpop: true, database: before.database, issuer: before.url });
  const person = await logInPerson(after);
  const { challenge } = createPkce();
  const query = codeQuery(client, { ...challenge });
  const answer = await person.authorize(query);
  expect(answer.searchParams.get('error')).toBe('invalid_request');
  expect(answer.searchParams.get('error_description')).toMatch(/pushed/);
});
