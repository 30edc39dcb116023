import { randomUUID } from 'node:crypto';

import { afterEach, describe, expect, it } from '@jest/globals';
import request from 'supertest';

import { accessToken, actingAs, actingAsClient, allow, deny, startServer } from '../../lib/testing.js';
import { openDatabase } from '../support/database.js';
import { SCOPES } from '../support/site.js';
import { fixture, siteFor } from '../support/site-for.js';

describe('a test of a site', () => {
  const site = siteFor();

  const call = (headers: object) =>
    request(site.app)
      .get('/api/photos')
      .set({ ...headers });

  it("actingAs gives a user's real token", async () => {
    const { body } = await call(await actingAs(site.oauth, 'ada', ['photos:read'])).expect(200);
    expect(body).toMatchObject({ userId: 'ada', clientId: 'tests', scopes: ['photos:read'] });
    await call(await actingAs(site.oauth, 'ada', ['profile'])).expect(403);
    // a database emptied between two tests, and two calls at once
    await site.oauth.clients.delete('tests');
    const [first, second] = await Promise.all([actingAs(site.oauth, 'ada'), actingAs(site.oauth, 'grace')]);
    await call(first).expect(200);
    await call(second).expect(200);
  });

  it("actingAsClient gives a client's real token, and accessToken one of any client", async () => {
    const { clientId } = await site.client();
    const { body } = await call(await actingAsClient(site.oauth, clientId)).expect(200);
    expect(body).toMatchObject({ clientId });
    expect(body).not.toHaveProperty('userId');
    const token = await accessToken(site.oauth, { clientId, userId: 'ada' });
    await call({ Authorization: `Bearer ${token}` }).expect(200);
    await site.oauth.grants.revoke({ clientId });
    await call({ Authorization: `Bearer ${token}` }).expect(401);
  });

  it('actingAs, actingAsClient and accessToken say what is wrong', async () => {
    await expect(actingAs('ada' as never, 'ada')).rejects.toThrow(/what authorizationServer\(\) gave/);
    await expect(actingAs(site.oauth, undefined as never)).rejects.toThrow('userId must be text');
    await expect(actingAsClient(site.oauth, undefined as never)).rejects.toThrow('clientId must be text');
    await expect(accessToken(site.oauth, { userID: 'ada' } as never)).rejects.toThrow("mean 'userId'?");
    await expect(actingAs(site.oauth, 'ada', ['photos:eat'])).rejects.toMatchObject({
      error: 'invalid_scope',
    });
  });

  describe('in production', () => {
    const before = process.env.NODE_ENV;
    afterEach(() => {
      process.env.NODE_ENV = before;
    });

    it('actingAs, actingAsClient and accessToken give no token in production', async () => {
      process.env.NODE_ENV = 'production';
      const url = `${site.url}/oauth/authorize`;
      const grants = await site.oauth.models.Grant.countDocuments();
      for (const attempt of [
        () => actingAs(site.oauth, 'ada'),
        () => actingAsClient(site.oauth, 'tests'),
        () => accessToken(site.oauth),
        () => allow(url, { cookie: '' }),
        () => deny(url, { cookie: '' }),
        () => startServer({ connection: site.database.connection, scopes: SCOPES }),
      ])
        await expect(attempt()).rejects.toThrow('NODE_ENV is production');
      expect(await site.oauth.models.Grant.countDocuments()).toBe(grants);
    });
  });
});

describe('a server for tests', () => {
  const database = fixture(() => openDatabase());
  const server = fixture(() => startServer({ connection: database.connection, scopes: SCOPES }));

  const urlFor = async (redirectUri: string) => {
    const { clientId } = await server.oauth.clients.create({ name: 'Shop', redirectUris: [redirectUri] });
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri,
      scope: 'photos:read',
      state: 's 1',
    });
    return `${server.issuer}/oauth/authorize?${query.toString()}`;
  };

  it.each(['https://shop.example/cb', 'at the server itself'])(
    'a test server logs users in, and allows and denies a client with the redirect URI %s',
    async (where) => {
      const url = await urlFor(where.startsWith('https:') ? where : `${server.issuer}/callback`);
      const { userId, cookie } = await server.logIn(`ada-${randomUUID().slice(0, 8)}`);
      const denied = await deny(url, { cookie });
      expect(denied.searchParams.get('error')).toBe('access_denied');
      const allowed = await allow(url, { cookie });
      expect([allowed.searchParams.get('state'), allowed.searchParams.has('code')]).toEqual(['s 1', true]);
      // the consent is stored
      expect((await allow(url, { cookie })).searchParams.has('code')).toBe(true);
      expect(await server.oauth.models.Consent.countDocuments({ userId })).toBe(1);
    },
  );

  it('allow refuses a cookie without a login, and accepts the cookie lines of supertest', async () => {
    const url = await urlFor('https://shop.example/cb');
    await expect(allow(url, { cookie: 'connect.sid=stranger' })).rejects.toThrow(
      /led to \/login \(200\).*is the user logged in\?/,
    );
    const { cookie } = await server.logIn('grace');
    const lines = cookie.split('; ').map((pair) => `${pair}; Path=/; HttpOnly`);
    expect((await allow(url, { cookie: lines })).searchParams.has('code')).toBe(true);
  });
});
