import { describe, expect, test } from '@jest/globals';
import request from 'supertest';

import { codeQuery, logInPerson } from '../../support/person.js';
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

  test('§3 the registration answers with the URL and the token of its configuration [3-1] [3-2] [5-6] [B-1] [B-2] [B-4]', async () => {
    const client = await newClient();
    expect(client.registration_client_uri).toBe(`${site.url}/oauth/register/${client.client_id}`);
    expect(client.registration_access_token).toMatch(/^eas_ra_[\w-]{43}$/);
  });

  test('§2.1 reading gives 200 and all that is registered, and changes nothing [2.1-2] [3-3]', async () => {
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

  test('§2 unknown client, wrong token, none, of another client: one and the same 401 with a challenge [2.1-3] [2.1-4] [2.2-10] [2.2-11] [2.3-4] [2.3-5] [B-5]', async () => {
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

  test('§2 an access token of a person opens no registration', async () => {
    const client = await newClient();
    const tokens = await obtainTokens(site, await asClient(site, client));
    expect(
      (await manage(site, 'get', { ...client, registration_access_token: tokens.access_token })).status,
    ).toBe(401);
  });

  test('§2 methods that are not there are answered 405 [2-3]', async () => {
    const client = await newClient();
    const response = await manage(site, 'patch', client, {});
    expect(response.status).toBe(405);
    expect(response.headers.allow).toBe('GET, PUT, DELETE');
  });

  test('§2.2 an update replaces, it does not add: what is left out is gone [2.2-3] [2.2-4] [2.2-8] [2.2-9]', async () => {
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

  test('§2.2 an update gives a new registration access token, and the old one ends with it [A.1-2] [A.1-3]', async () => {
    const client = await newClient();
    const { body } = await update(client);
    expect(body.registration_access_token).not.toBe(client.registration_access_token);
    for (const method of ['get', 'delete'] as const)
      expect((await manage(site, method, client)).status).toBe(401);
    expect((await update(client)).status).toBe(401);
    expect((await manage(site, 'get', { ...client, ...body })).status).toBe(200);
  });

  test('§2.2 of ten updates at once by the same token, one is made', async () => {
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

  test('§2.2 client_id MUST be there and be the client’s own; a client_secret MUST match [2.2-5] [2.2-6] [2.2-7]', async () => {
    const [client, other] = [await newClient(), await newClient()];
    for (const fields of [
      { client_id: undefined },
      { client_id: other.client_id },
      { client_secret: other.client_secret },
      { client_secret: 'chosen' },
      { client_secret: { $ne: null } },
    ]) {
      expect(await update(client, fields)).toMatchObject({
        status: 400,
        body: { error: 'invalid_client_metadata' },
      });
    }
    expect((await manage(site, 'get', client)).status).toBe(200);
  });

  test.each([
    'registration_access_token',
    'registration_client_uri',
    'client_secret_expires_at',
    'client_id_issued_at',
  ])('§2.2 %s MUST NOT be in an update [2.2-2]', async (field) => {
    const client = await newClient();
    expect(await update(client, { [field]: client[field] })).toMatchObject({
      status: 400,
      body: { error: 'invalid_client_metadata' },
    });
  });

  test('§2.2 an update cannot set what only the host decides', async () => {
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
    const stored = await site.database.connection
      .collection('oauth_clients')
      .findOne({ _id: client.client_id });
    expect(stored).toMatchObject({ trusted: false, expiresAt: expect.any(Date) });
    for (const field of ['introspection', 'ownerId']) expect(stored).not.toHaveProperty(field);
  });

  test('§2.2 an update that is wrong changes nothing, the token neither', async () => {
    const client = await newClient();
    expect(await update(client, { redirect_uris: ['javascript:alert(1)'] })).toMatchObject({
      status: 400,
      body: { error: 'invalid_redirect_uri' },
    });
    expect(await update(client, { token_endpoint_auth_method: 'none' })).toMatchObject({
      status: 400,
      body: { error: 'invalid_client_metadata' },
    });
    expect((await manage(site, 'put', client).type('application/json').send('[]')).status).toBe(400);
    expect((await manage(site, 'get', client)).body).toMatchObject({
      redirect_uris: [REDIRECT_URI],
      token_endpoint_auth_method: 'client_secret_basic',
    });
  });

  test('§2.2 with its secret a client keeps it; without, it gets a new one, and the old one works a while longer', async () => {
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
    '§5 its registration access token ends when the host makes the client its own: %j, also if that is taken back [2.2-13]',
    async (vouching) => {
      const client = await newClient();
      await site.oauth.clients.update(client.client_id, vouching);
      const taken = { trusted: false, verified: false, introspection: false };
      for (const change of [vouching, taken]) {
        await site.oauth.clients.update(client.client_id, change);
        for (const method of ['get', 'delete'] as const)
          expect(await manage(site, method, client)).toMatchObject({
            status: 403,
            body: { error: 'access_denied' },
          });
        expect(await update(client, { redirect_uris: ['https://evil.example/'] })).toMatchObject({
          status: 403,
          body: { error: 'access_denied' },
        });
      }
      expect(await site.oauth.clients.find(client.client_id)).toMatchObject({ redirectUris: [REDIRECT_URI] });
      const stored = site.database.connection.collection<{ _id: string }>('oauth_clients');
      expect(await stored.findOne({ _id: client.client_id })).not.toHaveProperty('expiresAt');
    },
  );

  test('§2.2 what code has narrowed does not come back by a request of the client', async () => {
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

  test('what people allowed is asked again when a client changes its name or its redirect URIs', async () => {
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

  test('§2.3 deleting answers 204 and ends the client, its secret, its token and all its grants [2.1-5] [2.2-12] [2.3-1] [2.3-2] [5-7] [5-8]', async () => {
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

  test('wrong tokens are limited per address', async () => {
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
