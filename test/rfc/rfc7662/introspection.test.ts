import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import type { ClientWithSecret } from '../../../lib/index.js';
import { openSite, type Site } from '../../support/site.js';
import { basic, obtainCode, obtainTokens, redeem, tokenRequest } from '../../support/tokens.js';

describe('RFC 7662: token introspection', () => {
  let site: Site;
  let client: ClientWithSecret;
  let resourceServer: ClientWithSecret;

  beforeAll(async () => {
    site = await openSite();
    client = await site.client();
    resourceServer = await site.client({ name: 'Photo API', introspection: true, grantTypes: ['client_credentials'] });
  });
  afterAll(() => site.close());

  const introspect = (token: string, by = resourceServer) =>
    request(site.server).post('/oauth/introspect').type('form').set('Authorization', basic(by.clientId, by.clientSecret ?? '')).send({ token });

  test('§2.2 tells a resource server about a live access token', async () => {
    const tokens = await obtainTokens(site, client, { query: { scope: 'photos:read profile' } });
    const response = await introspect(tokens.access_token);
    expect(response.status).toBe(200);
    expect(response.headers['cache-control']).toBe('no-store');
    expect(response.body).toEqual({ active: true, scope: 'photos:read profile', client_id: client.clientId, sub: 'ada', token_type: 'Bearer', exp: expect.any(Number), iss: site.url, aud: site.url });
  });

  test('§2.2 a narrowed access token shows its own scope, a refresh token what was granted', async () => {
    const tokens = await obtainTokens(site, client);
    const refreshed = (await tokenRequest(site, client, { grant_type: 'refresh_token', refresh_token: tokens.refresh_token, scope: 'profile' })).body;
    expect((await introspect(refreshed.access_token)).body.scope).toBe('profile');
    const ofRefreshToken = (await introspect(refreshed.refresh_token)).body;
    expect(ofRefreshToken).toMatchObject({ active: true, scope: tokens.scope });
    expect(ofRefreshToken).not.toHaveProperty('token_type');
  });

  test('§2.2 says nothing but active: false of a token that is unknown, used, revoked or no token at all', async () => {
    const code = await obtainCode(site, client);
    const tokens = (await redeem(site, client, code)).body;
    const refreshed = (await tokenRequest(site, client, { grant_type: 'refresh_token', refresh_token: tokens.refresh_token })).body;
    await redeem(site, client, code);
    const forged = `${refreshed.access_token.slice(0, -4)}AAAA`;
    for (const token of [tokens.refresh_token, refreshed.access_token, refreshed.refresh_token, forged, code, 'x']) {
      expect(await introspect(token)).toMatchObject({ status: 200, body: { active: false } });
      expect(Object.keys((await introspect(token)).body)).toEqual(['active']);
    }
  });

  test('§2.1 only a client that is registered for it may ask, and it must authenticate', async () => {
    const tokens = await obtainTokens(site, client);
    expect(await introspect(tokens.access_token, client)).toMatchObject({ status: 403, body: { error: 'unauthorized_client' } });
    expect(await introspect(tokens.access_token, { ...resourceServer, clientSecret: 'wrong' })).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
    expect((await request(site.server).post('/oauth/introspect').type('form').send({ token: tokens.access_token })).status).toBe(401);
    await expect(site.client({ type: 'public', introspection: true, grantTypes: ['authorization_code'] })).rejects.toThrow('cannot introspect');
  });

  test('§2.1 the token parameter is required', async () => {
    expect(await request(site.server).post('/oauth/introspect').type('form').set('Authorization', basic(resourceServer.clientId, resourceServer.clientSecret ?? '')).send({})).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });
});
