import { describe, expect, test } from '@jest/globals';
import request from 'supertest';

import { codeQuery, logInPerson } from '../../support/person.js';
import { refusal } from '../../support/refusal.js';
import { asClient, manage, METADATA, register } from '../../support/registration.js';
import { openSite, REDIRECT_URI } from '../../support/site.js';
import { siteFor } from '../../support/site-for.js';
import { callApi, obtainTokens, refreshTokens, tokenRequest } from '../../support/tokens.js';

describe('RFC 7592: client configuration endpoint', () => {
  const site = siteFor({ registration: { open: true }, security: { rateLimits: false } });

  const newClient = async (metadata: object = METADATA) => (await register(site, metadata)).body;
  const update = (
    client: { client_id: string; client_secret?: string; registration_access_token: string },
    fields: object = {},
  ) =>
    manage(site, 'put', client, {
      ...METADATA,
      client_id: client.client_id,
      client_secret: client.client_secret,
      ...fields,
    });

  test('§3 the registration response has the URL and the access token of the client configuration [3-1] [3-2] [5-6] [B-1] [B-2] [B-4]', async () => {
    const client = await newClient();
    expect(client.registration_client_uri).toBe(`${site.url}/oauth/register/${client.client_id}`);
    expect(client.registration_access_token).toMatch(/^eas_ra_[\w-]{43}$/);
  });

  test('§2.1 a GET returns all registered metadata and changes nothing [2.1-2] [3-3]', async () => {
    const { client_secret, client_secret_expires_at, ...rest } = await newClient();
    for (let time = 0; time < 2; time += 1) {
      const response = await manage(site, 'get', rest);
      expect(response.status).toBe(200);
      expect(response.headers['cache-control']).toBe('no-store');
      expect(response.body).toEqual(rest);
    }
    expect(client_secret).toBeDefined();
    expect(client_secret_expires_at).toBe(0);
  });

  test('§2 an unknown client and a wrong, missing or foreign token get the same 401 with a challenge [2.1-3] [2.1-4] [2.2-10] [2.2-11] [2.3-4] [2.3-5] [B-5]', async () => {
    const [client, other] = [await newClient(), await newClient()];
    const hosts = await site.client();
    const cases = [
      { ...client, registration_access_token: other.registration_access_token },
      { ...client, registration_access_token: 'wrong' },
      { ...client, client_id: 'unknown' },
      { ...client, client_id: hosts.clientId },
      { ...client, client_id: '$ne' },
    ];
    for (const method of ['get', 'put', 'delete'] as const) {
      const answers = await Promise.all(
        cases.map((wrong) =>
          manage(
            site,
            method,
            wrong,
            method === 'put' ? { ...METADATA, client_id: wrong.client_id } : undefined,
          ),
        ),
      );
      for (const answer of answers) {
        expect(answer).toMatchObject({ status: 401, body: { error: 'invalid_token' } });
        expect(answer.headers['www-authenticate']).toMatch(/^Bearer realm=.*error="invalid_token"/);
      }
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    }
    for (const headers of [{}, { Authorization: 'Bearer' }, { Authorization: 'Bearer [object Object]' }]) {
      const bare = await request(site.server).get(`/oauth/register/${client.client_id}`).set(headers);
      expect(bare).toMatchObject({ status: 401, body: { error: 'invalid_token' } });
      expect(bare.headers['www-authenticate']).toMatch(/^Bearer realm=.*error="invalid_token"/);
    }
    expect((await manage(site, 'get', client)).status).toBe(200);
  });

  test('§2 the client configuration endpoint refuses an access token of a person', async () => {
    const client = await newClient();
    const tokens = await obtainTokens(site, await asClient(site, client));
    expect(
      (await manage(site, 'get', { ...client, registration_access_token: tokens.access_token })).status,
    ).toBe(401);
  });

  test('§2 the client configuration endpoint answers other methods with 405 [2-3]', async () => {
    const client = await newClient();
    const response = await manage(site, 'patch', client, {});
    expect(response.status).toBe(405);
    expect(response.headers.allow).toBe('GET, PUT, DELETE');
  });

  test('§2.2 a client update replaces all metadata, and omitted metadata is deleted [2.2-3] [2.2-4] [2.2-8] [2.2-9]', async () => {
    const client = await newClient({
      ...METADATA,
      contacts: ['ada@print.example'],
      software_id: 'frames',
      client_uri: 'https://print.example/',
    });
    const response = await update(client, {
      client_name: 'Better frames',
      redirect_uris: ['https://print.example/other'],
    });
    expect(response).toMatchObject({
      status: 200,
      body: {
        client_id: client.client_id,
        client_name: 'Better frames',
        redirect_uris: ['https://print.example/other'],
      },
    });
    for (const gone of ['contacts', 'software_id', 'client_uri'])
      expect(response.body).not.toHaveProperty(gone);
    expect((await manage(site, 'get', { ...client, ...response.body })).body).toMatchObject({
      client_name: 'Better frames',
      redirect_uris: ['https://print.example/other'],
    });
  });

  test('§2.2 a client update issues a new registration access token and ends the old token [A.1-2] [A.1-3]', async () => {
    const client = await newClient();
    const { body } = await update(client);
    expect(body.registration_access_token).not.toBe(client.registration_access_token);
    for (const method of ['get', 'delete'] as const)
      expect((await manage(site, method, client)).status).toBe(401);
    expect((await update(client)).status).toBe(401);
    expect((await manage(site, 'get', { ...client, ...body })).status).toBe(200);
  });

  test('§2.2 only one of ten concurrent client updates with the same token succeeds', async () => {
    const client = await newClient();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => update(client, { client_name: `Name ${index}` })),
    );
    const [made, ...more] = answers.filter(({ status }) => status === 200);
    expect(more).toHaveLength(0);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(9);
    expect((await manage(site, 'get', { ...client, ...made?.body })).body.client_name).toBe(
      made?.body.client_name,
    );
  });

  test('§2.2 a client update needs the client_id of the client, and a client_secret in the update has to match [2.2-5] [2.2-6] [2.2-7]', async () => {
    const [client, other] = [await newClient(), await newClient()];
    for (const fields of [
      { client_id: undefined },
      { client_id: other.client_id },
      { client_secret: other.client_secret },
      { client_secret: 'chosen' },
      { client_secret: { $ne: null } },
    ]) {
      expect(await update(client, fields)).toMatchObject(refusal(400, 'invalid_client_metadata'));
    }
    expect((await manage(site, 'get', client)).status).toBe(200);
  });

  test.each([
    'registration_access_token',
    'registration_client_uri',
    'client_secret_expires_at',
    'client_id_issued_at',
  ])('§2.2 a client update with %s is refused [2.2-2]', async (field) => {
    const client = await newClient();
    expect(await update(client, { [field]: client[field] })).toMatchObject(
      refusal(400, 'invalid_client_metadata'),
    );
  });

  test('§2.2 a client update cannot change settings of the site', async () => {
    const client = await newClient();
    expect(
      (
        await update(client, {
          trusted: true,
          introspection: true,
          ownerId: 'ada',
          expiresAt: null,
          'registration.accessTokenHash': 'x',
        })
      ).status,
    ).toBe(200);
    const stored = await site.database.find('oauth_clients', client.client_id);
    expect(stored).toMatchObject({ trusted: false, expiresAt: expect.any(Date) });
    for (const field of ['introspection', 'ownerId']) expect(stored).not.toHaveProperty(field);
  });

  test('§2.2 an invalid client update changes nothing and does not use up the token', async () => {
    const client = await newClient();
    expect(await update(client, { redirect_uris: ['javascript:alert(1)'] })).toMatchObject(
      refusal(400, 'invalid_redirect_uri'),
    );
    expect(await update(client, { token_endpoint_auth_method: 'none' })).toMatchObject(
      refusal(400, 'invalid_client_metadata'),
    );
    expect((await manage(site, 'put', client).type('application/json').send('[]')).status).toBe(400);
    expect((await manage(site, 'get', client)).body).toMatchObject({
      redirect_uris: [REDIRECT_URI],
      token_endpoint_auth_method: 'client_secret_basic',
    });
  });

  test('§2.2 a client update rotates the secret unless the update contains the secret', async () => {
    const client = await newClient();
    const stored = (await update(client)).body;
    expect(stored).not.toHaveProperty('client_secret');
    const rotated = (await update({ ...client, ...stored }, { client_secret: undefined })).body;
    expect(rotated.client_secret).toMatch(/^eas_cs_/);
    expect(rotated.client_secret_expires_at).toBe(0);
    expect(rotated.client_secret).not.toBe(client.client_secret);
    for (const secret of [client.client_secret, rotated.client_secret]) {
      const answer = await tokenRequest(site, await asClient(site, { ...client, client_secret: secret }), {
        grant_type: 'authorization_code',
        code: 'none',
      });
      expect(answer.body.error).toBe('invalid_grant');
    }
  });

  test.each([{ trusted: true }, { verified: true }, { introspection: true }])(
    '§5 a registration access token is refused after the site has set %j, even after a withdrawal [2.2-13]',
    async (vouching) => {
      const client = await newClient();
      await site.oauth.clients.update(client.client_id, vouching);
      const taken = { trusted: false, verified: false, introspection: false };
      for (const change of [vouching, taken]) {
        await site.oauth.clients.update(client.client_id, change);
        for (const method of ['get', 'delete'] as const)
          expect(await manage(site, method, client)).toMatchObject(refusal(403, 'access_denied'));
        expect(await update(client, { redirect_uris: ['https://evil.example/'] })).toMatchObject(
          refusal(403, 'access_denied'),
        );
      }
      expect(await site.oauth.clients.find(client.client_id)).toMatchObject({ redirectUris: [REDIRECT_URI] });
      const stored = site.database.collection<{ _id: string }>('oauth_clients');
      expect(await stored.findOne({ _id: client.client_id })).not.toHaveProperty('expiresAt');
    },
  );

  test('§2.2 a client update cannot restore scopes or grant types that the site has removed', async () => {
    let client = await newClient();
    await site.oauth.clients.update(client.client_id, {
      scopes: ['photos:read'],
      grantTypes: ['authorization_code'],
    });
    const wide = { scope: 'photos:read photos:write', grant_types: ['authorization_code', 'refresh_token'] };
    for (const requested of [wide, {}]) {
      const { body } = await update(client, requested);
      expect(body).toMatchObject({ scope: 'photos:read', grant_types: ['authorization_code'] });
      client = { ...client, ...body };
    }
    expect(await site.oauth.clients.find(client.client_id)).toMatchObject({
      scopes: ['photos:read'],
      grantTypes: ['authorization_code'],
    });
  });

  test('people are asked for consent again after a client changes its name', async () => {
    const client = await newClient();
    const person = await logInPerson(site);
    const query = codeQuery(client.client_id);
    await person.authorize(query);
    expect((await person.openAuthorize(query)).status).toBe(302);
    const { body } = await update(client);
    expect((await person.openAuthorize(query)).status).toBe(302);
    await update({ ...client, ...body }, { client_name: 'Your bank' });
    expect((await person.openAuthorize(query)).status).toBe(200);
  });

  test('§2.3 a DELETE is answered 204 and ends the client, its secret, its token and all its grants [2.1-5] [2.2-12] [2.3-1] [2.3-2] [5-7] [5-8]', async () => {
    const registered = await newClient();
    const client = await asClient(site, registered);
    const tokens = await obtainTokens(site, client);
    const response = await manage(site, 'delete', registered);
    expect(response.status).toBe(204);
    expect(response.text).toBe('');
    expect(response.headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
    expect((await callApi(site, tokens.access_token)).status).toBe(401);
    expect((await refreshTokens(site, client, tokens.refresh_token)).body.error).toBe('invalid_client');
    expect((await manage(site, 'get', registered)).status).toBe(401);
    expect((await manage(site, 'delete', registered)).status).toBe(401);
    expect(
      (await request(site.server).get(`/oauth/authorize?response_type=code&client_id=${client.clientId}`))
        .status,
    ).toBe(400);
  });

  test('wrong registration access tokens are limited per address', async () => {
    await using limited = await openSite({
      registration: { open: true },
      security: { rateLimits: { token: 3 } },
    });
    const client = (await register(limited)).body;
    const guess = () => manage(limited, 'get', { ...client, registration_access_token: 'wrong' });
    for (let time = 0; time < 3; time += 1) expect((await guess()).status).toBe(401);
    expect((await guess()).status).toBe(429);
  });
});
