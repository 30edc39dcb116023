import { describe, expect, test } from '@jest/globals';

import { fixture, siteFor } from '../../support/site-for.js';
import { callApi, tokenRequest } from '../../support/tokens.js';

const site = siteFor();
/** The same site with the grant switched off. */
const without = siteFor(() => ({ database: site.database, grantTypes: ['authorization_code'] }));
const client = fixture(() =>
  site.client({
    scopes: ['photos:read', 'profile'],
    redirectUris: [],
    grantTypes: ['client_credentials'],
  }),
);

describe('§4.4 client credentials', () => {
  test('§4.4.2 a client gets an access token without a person [4.4.2-1] [4.4.2-2]', async () => {
    const response = await tokenRequest(site, client, { grant_type: 'client_credentials' });
    expect(response.status).toBe(200);
    const me = await callApi(site, response.body.access_token);
    expect(me.body).toMatchObject({ clientId: client.clientId, scopes: ['photos:read', 'profile'] });
    expect(me.body).not.toHaveProperty('userId');
  });

  test('§4.4.3 the client credentials grant issues no refresh token [4.4.3-1]', async () => {
    const both = await site.client();
    expect(both.grantTypes).toContain('refresh_token');
    const { body } = await tokenRequest(site, both, { grant_type: 'client_credentials' });
    expect(Object.keys(body).sort()).toEqual(['access_token', 'expires_in', 'scope', 'token_type']);
  });

  test('§4.4 a public client cannot use client_credentials, even if the database has that grant [4.4-1]', async () => {
    const publicClient = await site.client({ type: 'public' });
    await site.database.update('oauth_clients', publicClient.clientId, {
      $set: { grantTypes: ['client_credentials'] },
    });
    const response = await tokenRequest(site, publicClient, { grant_type: 'client_credentials' });
    expect(response.status).toBe(400);
    expect(response.body.error).toBe('unauthorized_client');
  });

  test('§4.4 client_credentials is refused if the grant is disabled', async () => {
    const response = await tokenRequest(without, client, { grant_type: 'client_credentials' });
    expect(response.body.error).toBe('unsupported_grant_type');
  });
});
