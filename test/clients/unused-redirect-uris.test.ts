import { describe, expect, test } from '@jest/globals';
import request from 'supertest';

import { registerApplication } from '../support/applications.js';
import { runCli } from '../support/cli.js';
import { logInPerson, pageAfter } from '../support/person.js';
import { REDIRECT_URI } from '../support/site.js';
import { fixture, siteFor } from '../support/site-for.js';

const REASON =
  'None of its grant types uses a redirect URI: leave them out, or add a grant type that does, such as authorization_code.';

const site = siteFor({
  grantTypes: ['authorization_code', 'refresh_token', 'client_credentials', 'implicit'],
  registration: { open: true, grantTypes: ['authorization_code', 'client_credentials'] },
  security: { rateLimits: false },
});
const ada = fixture(() => logInPerson(site));

const create = (...grantTypes: string[]) =>
  site.oauth.clients.create({ name: 'Job', redirectUris: [REDIRECT_URI], grantTypes });
const refused = { error: 'invalid_redirect_uri', description: expect.stringContaining(REASON) };

describe('redirect URIs of a client without a grant type that uses them are refused, with the reason', () => {
  test.each([[['client_credentials']], [['client_credentials', 'refresh_token']]])(
    'clients.create refuses redirect URIs with the grant types %j',
    async (grantTypes) => {
      await expect(create(...grantTypes)).rejects.toMatchObject(refused);
    },
  );

  test.each(['authorization_code', 'implicit'])(
    'clients.create accepts redirect URIs with %s',
    async (grantType) => {
      expect((await create(grantType)).redirectUris).toEqual([REDIRECT_URI]);
    },
  );

  test('clients.update refuses to remove the last grant type that uses the redirect URIs', async () => {
    const { clientId } = await create('authorization_code', 'client_credentials');
    const grantTypes = ['client_credentials'] as const;
    await expect(site.oauth.clients.update(clientId, { grantTypes })).rejects.toMatchObject(refused);
    const updated = await site.oauth.clients.update(clientId, { grantTypes, redirectUris: [] });
    expect(updated?.redirectUris).toEqual([]);
  });

  test('the command line refuses redirect URIs without a grant type that uses them', async () => {
    const args = ['--name', 'Job', '--redirect-uri', REDIRECT_URI, '--grant-types', 'client_credentials'];
    const { code, stderr } = await runCli(['clients', 'create', ...args], { uri: site.database.uri });
    expect(code).not.toBe(0);
    expect(stderr).toContain(REASON);
  });

  test('the application form refuses unused redirect URIs at their field', async () => {
    const sent = await registerApplication(ada.agent, { grant_type: 'client_credentials' });
    const page = await pageAfter(ada.agent, sent);
    expect(page.text).toContain('href="#application-redirect-uris"');
    expect(page.text).toContain('None of the ways to get access uses a redirect URI.');
  });
});

test('a client with unused redirect URIs from earlier keeps them, but gets no more', async () => {
  const { clientId } = await create('authorization_code', 'client_credentials');
  await site.database.update('oauth_clients', clientId, { $set: { grantTypes: ['client_credentials'] } });
  const before = await site.oauth.clients.update(clientId, { name: 'Night job' });
  expect(before).toMatchObject({ name: 'Night job', redirectUris: [REDIRECT_URI] });
  const redirectUris = [REDIRECT_URI, 'https://other.example/callback'];
  await expect(site.oauth.clients.update(clientId, { redirectUris })).rejects.toMatchObject(refused);
});

test('a registration drops unused redirect URIs, and its answer has none (RFC 7591 §2, §3.2.1)', async () => {
  const { status, body } = await request(site.server)
    .post('/oauth/register')
    .send({
      client_name: 'Robot',
      redirect_uris: [REDIRECT_URI, 'http://wrong.example/'],
      grant_types: ['client_credentials'],
      response_types: [],
    });
  expect([status, body.grant_types, body.redirect_uris ?? []]).toEqual([201, ['client_credentials'], []]);
});
