import { describe, expect, it } from '@jest/globals';
import request from 'supertest';

import { type NewGrantOptions, OAuthError } from '../../lib/index.js';
import { codeQuery, logInPerson } from '../support/person.js';
import { REDIRECT_URI } from '../support/site.js';
import { fixture, siteFor } from '../support/site-for.js';
import { refreshTokens } from '../support/tokens.js';

const API = 'https://albums.example';

describe('oauth.grants.create', () => {
  const site = siteFor({ resources: { [API]: { scopes: ['photos:read'] } } });
  const client = fixture(() => site.client({ scopes: ['photos:read', 'photos:write'] }));

  const create = (options: Partial<NewGrantOptions> = {}) =>
    site.oauth.grants.create({ clientId: client.clientId, userId: 'ada', ...options });

  it('a grant by grants.create emits token.issued, and can be used, refreshed and revoked', async () => {
    const events: unknown[] = [];
    site.oauth.events.once('token.issued', (event) => events.push(event));
    const grant = await create({ scopes: ['photos:read'], refreshToken: true });
    expect(grant).toEqual({
      accessToken: expect.any(String),
      expiresIn: 3600,
      refreshToken: expect.any(String),
      scopes: ['photos:read'],
    });
    expect(events).toEqual([
      expect.objectContaining({
        clientId: client.clientId,
        userId: 'ada',
        grantType: 'host',
        scopes: ['photos:read'],
      }),
    ]);
    const call = (token: string) =>
      request(site.url).get('/api/photos').set('Authorization', `Bearer ${token}`);
    await call(grant.accessToken).expect(200);
    const refreshed = await refreshTokens(site, client, String(grant.refreshToken)).expect(200);
    await call(refreshed.body.access_token).expect(200);
    expect(await site.oauth.grants.revoke({ userId: 'ada' })).toBe(1);
    await call(refreshed.body.access_token).expect(401);
  });

  it('grants.create without a user gives the client a token without a refresh token', async () => {
    const grant = await site.oauth.grants.create({ clientId: client.clientId });
    expect(grant).not.toHaveProperty('refreshToken');
    expect(grant.scopes).toEqual(['photos:read', 'photos:write']);
    expect(await site.oauth.models.Grant.countDocuments({ userId: { $exists: false } })).toBe(1);
  });

  it('a grant by grants.create with kind device is a device to the guard and in lists', async () => {
    const { accessToken } = await create({ kind: 'device', userId: 'bob' });
    const me = await request(site.url).get('/api/me').set('Authorization', `Bearer ${accessToken}`);
    expect(me.body).toMatchObject({ kind: 'device', userId: 'bob' });
    const [grant] = await site.oauth.models.Grant.find({ userId: 'bob' }).lean();
    expect(grant?.grantType).toBe('urn:ietf:params:oauth:grant-type:device_code');
    const forNobody = site.oauth.grants.create({ clientId: client.clientId, kind: 'device' });
    await expect(forNobody).rejects.toThrow('grants.create: a device needs a userId');
  });

  it('a token by grants.create for a resource is refused at the site', async () => {
    const { accessToken, scopes } = await create({ resource: API });
    expect(scopes).toEqual(['photos:read']);
    await request(site.url).get('/api/photos').set('Authorization', `Bearer ${accessToken}`).expect(401);
  });

  it('grants.create with remember spares the user the consent page', async () => {
    const person = await logInPerson(site, 'grace');
    const query = codeQuery(client, { scope: 'photos:read' });
    expect((await person.openAuthorize(query)).text).toContain('consent-form');
    await create({ userId: 'grace', scopes: ['photos:read'], remember: true });
    expect((await person.openAuthorize(query)).headers.location).toContain(`${REDIRECT_URI}?code=`);
  });

  it.each<[Partial<NewGrantOptions>, string]>([
    [{ clientId: 'nobody' }, 'invalid_client'],
    [{ scopes: ['profile'] }, 'invalid_scope'],
    [{ resource: 'https://elsewhere.example' }, 'invalid_target'],
  ])('grants.create refuses %j by %s', async (options, error) => {
    await expect(create(options)).rejects.toMatchObject({ error });
  });

  it('grants.create refuses a public client without a user, and its id as a user', async () => {
    const open = await site.client({ type: 'public' });
    const refused = site.oauth.grants.create({ clientId: open.clientId });
    await expect(refused).rejects.toBeInstanceOf(OAuthError);
    await expect(create({ userId: client.clientId })).rejects.toMatchObject({ error: 'invalid_grant' });
  });

  it.each<[object, string]>([
    [{ clientID: 'shop' }, "unknown option 'clientID'; did you mean 'clientId'?"],
    [{ clientId: { $ne: '' } }, 'the option clientId must be the id of a client, as text, not an object'],
    [{ clientId: 'shop', userId: 5 }, 'the option userId must be the id of a user, as text, not 5'],
    [{ clientId: 'shop', userId: '' }, "the option userId must be the id of a user, as text, not ''"],
    [
      { clientId: 'shop', scopes: 'photos:read' },
      "the option scopes must be a list of scopes: ['photos:read']",
    ],
    [{ clientId: 'shop', remember: true }, 'remember needs a userId'],
  ])('grants.create says which option is wrong in %j', async (options, terms) => {
    await expect(site.oauth.grants.create(options as NewGrantOptions)).rejects.toThrow(
      `grants.create: ${terms}`,
    );
  });
});
