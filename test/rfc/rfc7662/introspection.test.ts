import { describe, expect, test } from '@jest/globals';
import request from 'supertest';

import { refusal } from '../../support/refusal.js';
import { fixture, siteFor } from '../../support/site-for.js';
import { clientRequest, obtainCode, obtainTokens, redeem, refreshTokens } from '../../support/tokens.js';

describe('RFC 7662: token introspection', () => {
  const site = siteFor();
  const client = fixture(() => site.client());
  const resourceServer = fixture(() =>
    site.client({
      name: 'Photo API',
      introspection: true,
      grantTypes: ['client_credentials'],
    }),
  );

  const introspect = (token: string, by = resourceServer) =>
    clientRequest(site, by, '/oauth/introspect', { token });

  test('§2.2 a resource server gets the claims of a live access token [2.2-1] [2.2-2]', async () => {
    const tokens = await obtainTokens(site, client, { query: { scope: 'photos:read profile' } });
    const response = await introspect(tokens.access_token);
    expect(response.status).toBe(200);
    expect(response.headers['cache-control']).toBe('no-store');
    expect(response.body).toEqual({
      active: true,
      scope: 'photos:read profile',
      client_id: client.clientId,
      sub: 'ada',
      token_type: 'Bearer',
      exp: expect.any(Number),
      iss: site.url,
      aud: site.url,
    });
  });

  test('§2.2 a narrowed access token has the narrowed scope, and a refresh token the granted scope', async () => {
    const tokens = await obtainTokens(site, client);
    const refreshed = (await refreshTokens(site, client, tokens.refresh_token, { scope: 'profile' })).body;
    expect((await introspect(refreshed.access_token)).body.scope).toBe('profile');
    const ofRefreshToken = (await introspect(refreshed.refresh_token)).body;
    expect(ofRefreshToken).toMatchObject({ active: true, scope: tokens.scope });
    expect(ofRefreshToken).not.toHaveProperty('token_type');
  });

  test('§2.2 an unknown, used or revoked token is answered with only active: false [2.1-3] [2.2-3] [2.2-4] [2.3-1] [4-1] [4-4] [4-11]', async () => {
    const code = await obtainCode(site, client);
    const tokens = (await redeem(site, client, code)).body;
    const refreshed = (await refreshTokens(site, client, tokens.refresh_token)).body;
    await redeem(site, client, code);
    const forged = `${refreshed.access_token.slice(0, -4)}AAAA`;
    for (const token of [
      tokens.refresh_token,
      refreshed.access_token,
      refreshed.refresh_token,
      forged,
      code,
      'x',
    ]) {
      expect(await introspect(token)).toMatchObject({ status: 200, body: { active: false } });
      expect(Object.keys((await introspect(token)).body)).toEqual(['active']);
    }
  });

  test('§2.1 only an authenticated client with introspection may introspect [2.1-4] [4-7] [4-8]', async () => {
    const tokens = await obtainTokens(site, client);
    expect(await introspect(tokens.access_token, client)).toMatchObject(refusal(403, 'unauthorized_client'));
    expect(await introspect(tokens.access_token, { ...resourceServer, clientSecret: 'wrong' })).toMatchObject(
      { status: 401, body: { error: 'invalid_client' } },
    );
    expect(
      (await request(site.server).post('/oauth/introspect').type('form').send({ token: tokens.access_token }))
        .status,
    ).toBe(401);
    await expect(
      site.client({ type: 'public', introspection: true, grantTypes: ['authorization_code'] }),
    ).rejects.toThrow('cannot introspect');
  });

  describe('a client with resources', () => {
    const PHOTOS = 'https://api.photos.example';
    const ALBUMS = 'https://albums.example';

    const several = siteFor(() => ({ resources: { [PHOTOS]: { accessTokenFormat: 'jwt' }, [ALBUMS]: {} } }));
    const app = fixture(() => several.client());
    const photoApi = fixture(() =>
      several.client({
        introspection: true,
        resources: [`${PHOTOS}/`],
        grantTypes: ['client_credentials'],
      }),
    );

    const ask = (token: string, by = photoApi) => clientRequest(several, by, '/oauth/introspect', { token });
    const tokenFor = async (resource: string | undefined) =>
      (await obtainTokens(several, app, { query: { resource } })).access_token;

    test('§4 a client with resources learns only about tokens for these resources [2.2-3] [2.3-1] [4-6] [5-1]', async () => {
      expect((await ask(await tokenFor(PHOTOS))).body).toMatchObject({
        active: true,
        aud: PHOTOS,
        sub: 'ada',
      });
      for (const resource of [ALBUMS, undefined]) {
        const token = await tokenFor(resource);
        expect(await ask(token)).toMatchObject({ status: 200, body: { active: false } });
        expect(Object.keys((await ask(token)).body)).toEqual(['active']);
      }
    });

    test('§4 a refresh token is inactive for a client with resources', async () => {
      const tokens = await obtainTokens(several, app, { query: { resource: PHOTOS } });
      expect((await ask(tokens.refresh_token)).body).toEqual({ active: false });
      const everything = await several.client({ introspection: true, grantTypes: ['client_credentials'] });
      expect((await ask(tokens.refresh_token, everything)).body.active).toBe(true);
    });

    test('the resources of a client may have the issuer itself', async () => {
      const own = await several.client({
        introspection: true,
        resources: [several.url, ALBUMS],
        grantTypes: ['client_credentials'],
      });
      for (const resource of [undefined, ALBUMS])
        expect((await ask(await tokenFor(resource), own)).body.active).toBe(true);
      expect((await ask(await tokenFor(PHOTOS), own)).body).toEqual({ active: false });
    });

    test('wrong resources, and resources without introspection, cannot be registered', async () => {
      const create = (more: object) =>
        several.client({ introspection: true, grantTypes: ['client_credentials'], ...more });
      for (const resources of [
        ['https://api.photos.example.attacker.example'],
        ['photos'],
        [PHOTOS, 7],
        [],
        PHOTOS,
      ])
        await expect(create({ resources })).rejects.toMatchObject({ error: 'invalid_client_metadata' });
      await expect(create({ introspection: false, resources: [PHOTOS] })).rejects.toThrow(
        'needs introspection: true',
      );
    });

    test('the resources of a client can be set and removed later', async () => {
      const server = await several.client({ introspection: true, grantTypes: ['client_credentials'] });
      const token = await tokenFor(ALBUMS);
      expect(await several.oauth.clients.update(server.clientId, { resources: [PHOTOS] })).toMatchObject({
        resources: [PHOTOS],
      });
      expect((await ask(token, server)).body.active).toBe(false);
      expect(
        await several.oauth.clients.update(server.clientId, { resources: undefined }),
      ).not.toHaveProperty('resources');
      expect((await ask(token, server)).body.active).toBe(true);
    });
  });

  test('§2.1 introspection needs the token parameter [2.1-1]', async () => {
    expect(await clientRequest(site, resourceServer, '/oauth/introspect', {})).toMatchObject(
      refusal(400, 'invalid_request'),
    );
  });
});
