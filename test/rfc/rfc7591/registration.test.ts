import { describe, expect, test } from '@jest/globals';
import request from 'supertest';

import { refusal } from '../../support/refusal.js';
import { asClient, METADATA, register } from '../../support/registration.js';
import { openSite, REDIRECT_URI } from '../../support/site.js';
import { siteFor } from '../../support/site-for.js';
import { callApi, obtainTokens } from '../../support/tokens.js';

describe('RFC 7591: dynamic client registration', () => {
  const site = siteFor({
    registration: { open: true },
    security: { rateLimits: false },
    grantTypes: ['authorization_code', 'refresh_token', 'client_credentials', 'implicit'],
  });

  test('registration is disabled by default, without an endpoint in the metadata', async () => {
    await using closed = await openSite();
    expect((await register(closed)).status).toBe(404);
    const metadata = await request(closed.server).get('/.well-known/oauth-authorization-server');
    expect(metadata.body).not.toHaveProperty('registration_endpoint');
    expect(closed.oauth.endpoints).not.toHaveProperty('register');
  });

  test('RFC 8414 §2 the metadata names the registration endpoint', async () => {
    const metadata = await request(site.server).get('/.well-known/oauth-authorization-server');
    expect(metadata.body.registration_endpoint).toBe(`${site.url}/oauth/register`);
  });

  test('§3.2.1 the registration response is 201 with uncached JSON that has the client_id and the client_secret [3-3] [3.2.1-1] [3.2.1-4]', async () => {
    const response = await register(site);
    expect(response.status).toBe(201);
    expect(response.headers).toMatchObject({
      'content-type': expect.stringMatching(/^application\/json/),
      'cache-control': 'no-store',
      pragma: 'no-cache',
    });
    expect(response.body).toMatchObject({
      client_id: expect.stringMatching(/^[\x21-\x7e]+$/),
      client_secret: expect.stringMatching(/^eas_cs_/),
      client_secret_expires_at: 0,
      client_id_issued_at: expect.any(Number),
    });
    expect(Number.isInteger(response.body.client_id_issued_at)).toBe(true);
  });

  test('§3.2.1 the registration response has all registered metadata unchanged [2-2] [3.2.1-5]', async () => {
    const metadata = {
      ...METADATA,
      response_types: ['code'],
      token_endpoint_auth_method: 'client_secret_post',
      scope: 'photos:read profile',
      client_uri: 'https://print.example/',
      logo_uri: 'https://print.example/logo.png',
      tos_uri: 'https://print.example/terms',
      policy_uri: 'https://print.example/privacy',
      contacts: ['ada@print.example'],
      software_id: '4NRB1-0XZABZI9E6-5SM3R',
      software_version: '2.1',
    };
    const { body } = await register(site, metadata);
    expect(body).toMatchObject(metadata);
  });

  test('§2 omitted client metadata gets the defaults of the RFC [3.2.1-5]', async () => {
    const { body } = await register(site, { redirect_uris: [REDIRECT_URI] });
    expect(body).toMatchObject({
      token_endpoint_auth_method: 'client_secret_basic',
      grant_types: ['authorization_code'],
      response_types: ['code'],
      client_name: body.client_id,
    });
    expect(body.scope.split(' ').sort()).toEqual(['photos:read', 'photos:write', 'profile']);
  });

  test('§3.2.1 two registrations get different ids, secrets and registration access tokens [3.2.1-2] [3.2.1-3] [5-14]', async () => {
    const [one, two] = [(await register(site)).body, (await register(site)).body];
    expect(one.client_id).not.toBe(two.client_id);
    expect(one.client_secret).not.toBe(two.client_secret);
    expect(one.registration_access_token).not.toBe(two.registration_access_token);
  });

  test('§2 a client with the method none is public and gets no secret', async () => {
    const { body } = await register(site, { ...METADATA, token_endpoint_auth_method: 'none' });
    expect(body).not.toHaveProperty('client_secret');
    expect(body).not.toHaveProperty('client_secret_expires_at');
    expect((await site.oauth.clients.find(body.client_id))?.type).toBe('public');
  });

  test('a registered client gets tokens and is marked as selfRegistered [2-3] [2-4]', async () => {
    const client = await asClient(site, (await register(site)).body);
    const tokens = await obtainTokens(site, client);
    expect((await callApi(site, tokens.access_token)).body.clientId).toBe(client.clientId);
    expect(client.selfRegistered).toBe(true);
    expect(await site.client()).not.toHaveProperty('selfRegistered');
  });

  test('§2 unknown metadata, names with a language tag (§2.2) and settings of the site are ignored [2-20]', async () => {
    const hostile =
      '{"client_name":"A","client_name#de":"B","redirect_uris":["https://print.example/callback"],"trusted":true,"introspection":true,"ownerId":"ada","type":"public","secrets":[],"_id":"mine","client_id":"mine","client_secret":"mine","expiresAt":null,"registration":{},"__proto__":{"trusted":true},"constructor":{"prototype":{"trusted":true}},"$set":{"trusted":true}}';
    const { status, body } = await register(site, hostile);
    expect(status).toBe(201);
    expect(Object.keys(body).sort()).toEqual([
      'client_id',
      'client_id_issued_at',
      'client_name',
      'client_secret',
      'client_secret_expires_at',
      'grant_types',
      'redirect_uris',
      'registration_access_token',
      'registration_client_uri',
      'response_types',
      'scope',
      'token_endpoint_auth_method',
    ]);
    expect(body.client_id).not.toBe('mine');
    expect(body.client_secret).not.toBe('mine');
    const stored = await site.database.find('oauth_clients', body.client_id);
    expect(stored).toMatchObject({ trusted: false, type: 'confidential', name: 'A' });
    for (const field of ['introspection', 'ownerId', '$set', 'constructor'])
      expect(Object.keys(stored ?? {})).not.toContain(field);
    expect(({} as { trusted?: boolean }).trusted).toBeUndefined();
  });

  test('secrets of a registration response are not stored in the clear', async () => {
    const { body } = await register(site);
    const stored = JSON.stringify(await site.database.find('oauth_clients', body.client_id));
    expect(stored).not.toContain(body.client_secret);
    expect(stored).not.toContain(body.registration_access_token);
  });

  test('§3 the registration endpoint accepts only POST with JSON [3-1]', async () => {
    for (const method of ['get', 'put', 'delete', 'patch'] as const) {
      const response = await request(site.server)[method]('/oauth/register');
      expect(response.status).toBe(405);
      expect(response.headers.allow).toBe('POST');
    }
    const form = await request(site.server).post('/oauth/register').type('form').send({ client_name: 'x' });
    expect(form).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });

  test('§2 disallowed grant types and scopes are omitted, as the response says', async () => {
    const { status, body } = await register(site, {
      ...METADATA,
      grant_types: [
        'authorization_code',
        'client_credentials',
        'urn:ietf:params:oauth:grant-type:device_code',
      ],
      scope: 'profile admin',
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({ grant_types: ['authorization_code'], scope: 'profile' });
  });

  test.each([
    ['client_credentials alone', { grant_types: ['client_credentials'], response_types: [] }],
    ['no grant type', { grant_types: [] }],
    ['an unknown authentication method', { token_endpoint_auth_method: 'tls_client_auth' }],
    [
      'keys by value and by address (§2: MUST NOT)',
      { jwks: { keys: [{ kty: 'EC' }] }, jwks_uri: 'https://print.example/jwks' },
    ],
  ])('§3.2.2 a registration with %s is answered invalid_client_metadata [2-16]', async (_what, fields) => {
    expect(await register(site, { ...METADATA, ...fields })).toMatchObject(
      refusal(400, 'invalid_client_metadata'),
    );
  });

  test.each([
    [{ grant_types: ['authorization_code'], response_types: ['token'] }],
    [{ grant_types: ['refresh_token'], response_types: ['code'] }],
    [{ response_types: ['token'] }],
  ])(
    '§2.1 grant types and response types that contradict each other are refused: %j [2.1-1]',
    async (fields) => {
      const { grant_types: _grantTypes, ...rest } = METADATA;
      expect(await register(site, { ...rest, ...fields })).toMatchObject(
        refusal(400, 'invalid_client_metadata'),
      );
    },
  );

  test('§5 pages at another host than the redirect URIs are omitted, except for a client on a device [5-7] [5-8]', async () => {
    const web = await register(site, {
      ...METADATA,
      client_uri: 'https://print.example/',
      logo_uri: 'https://bank.example/logo.png',
    });
    expect(web.body.client_uri).toBe('https://print.example/');
    expect(web.body).not.toHaveProperty('logo_uri');
    const native = await register(site, {
      ...METADATA,
      redirect_uris: ['http://127.0.0.1/callback'],
      client_uri: 'https://tool.example/',
    });
    expect(native.body.client_uri).toBe('https://tool.example/');
  });
});
