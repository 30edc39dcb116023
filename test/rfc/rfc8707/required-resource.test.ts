import { beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';

import { bearerGuard } from '../../../lib/guard.js';
import { openid, PERSON, userinfo } from '../../support/openid.js';
import { codeQuery, locationOf, logInPerson, postForm } from '../../support/person.js';
import { openSite, REDIRECT_URI, SCOPES } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';
import { callApi, obtainTokens, postToken, refreshTokens } from '../../support/tokens.js';

const DEVICE = 'urn:ietf:params:oauth:grant-type:device_code';
const API = 'https://api.photos.example';

describe('requireResource', () => {
  const site = siteFor({
    security: { requireResource: true },
    resources: { [API]: {} },
    pushedRequests: true,
    grantTypes: [
      'authorization_code',
      'refresh_token',
      'client_credentials',
      'password',
      DEVICE,
      { grantType: 'urn:example:gift', parameters: [], handle: () => Promise.resolve({ userId: 'ada' }) },
    ],
  });

  const client = fixture(async () => {
    const { clientId, clientSecret } = await site.client();
    return { client_id: clientId, client_secret: clientSecret! };
  });

  const post = (path: string, form: object) => postForm(request(site.server), path, { ...client, ...form });

  test('§2 an authorization request without a resource is answered invalid_target', async () => {
    const ada = await logInPerson(site);
    const query = codeQuery(client.client_id);
    const refused = locationOf(await ada.agent.get('/oauth/authorize').query(query)).searchParams;
    expect([refused.get('error'), refused.get('error_description')]).toEqual([
      'invalid_target',
      'the parameter resource is missing: it says what the token is for',
    ]);
    expect((await ada.agent.get('/oauth/authorize').query({ ...query, resource: '' })).status).toBe(302);
    const page = await ada.agent.get('/oauth/authorize').query({ ...query, resource: API });
    const code = locationOf(await ada.choose(page)).searchParams.get('code');
    // the token requests need no resource, because the code has a resource
    const { body } = await post('/oauth/token', {
      grant_type: 'authorization_code',
      code,
      redirect_uri: REDIRECT_URI,
    }).expect(200);
    await post('/oauth/token', { grant_type: 'refresh_token', refresh_token: body.refresh_token }).expect(
      200,
    );
  });

  test.each([
    ['/oauth/token', { grant_type: 'client_credentials' }],
    ['/oauth/token', { grant_type: 'password', username: 'ada', password: 'password of ada' }],
    ['/oauth/token', { grant_type: 'urn:example:gift' }],
    ['/oauth/device_authorization', {}],
    ['/oauth/par', { response_type: 'code', redirect_uri: REDIRECT_URI }],
  ])('§2 %s with %j needs a resource', async (path, form) => {
    const { body } = await post(path, form).expect(400);
    expect(body.error).toBe('invalid_target');
    const { status } = await post(path, { ...form, resource: API });
    expect([200, 201]).toContain(status);
  });

  describe.each(['opaque', 'jwt'] as const)(
    'a request that only signs a user in (%s)',
    (accessTokenFormat) => {
      const signIns = siteFor(() => ({
        security: { requireResource: true },
        tokens: { accessTokenFormat },
        resources: { [API]: {} },
        openid: { ...openid, scopeClaims: { team: ['team'] } },
        scopes: { ...SCOPES, team: { description: 'Know your team', implies: ['photos:read'] } },
        grantTypes: ['authorization_code', 'refresh_token', DEVICE],
      }));
      const app = fixture(() => signIns.client({ introspection: true }));

      beforeAll(() => {
        const { guard } = signIns.oauth;
        const { clientId, clientSecret = '' } = app;
        const guards = {
          '/any': guard(),
          '/email': guard('email'),
          '/photos': guard('photos:read'),
          '/api': guard({ resource: API }),
          '/elsewhere': bearerGuard({ issuer: signIns.url, clientId, clientSecret })(),
        };
        for (const [path, check] of Object.entries(guards))
          signIns.app.get(path, check, (_req, res) => void res.json({}));
      });

      test('a sign-in needs no resource, and its token is accepted only at userinfo', async () => {
        const { access_token, refresh_token } = await obtainTokens(signIns, app, {
          query: { scope: 'openid profile email team offline_access' },
        });
        const { body } = await refreshTokens(signIns, app, refresh_token);
        for (const token of [access_token, body.access_token as string]) {
          expect((await userinfo(signIns, token).expect(200)).body).toMatchObject({ email: PERSON.email });
          for (const path of ['/any', '/email', '/api', '/elsewhere']) {
            const answer = await request(signIns.server).get(path).set('Authorization', `Bearer ${token}`);
            expect([path, answer.status]).toEqual([path, 401]);
            expect(answer.headers['www-authenticate']).toContain('error="invalid_token"');
          }
        }
      });

      test.each(['email', 'photos:read'])(
        'a refresh with only the scope %s gets no token for the site',
        async (scope) => {
          const { refresh_token } = await obtainTokens(signIns, app, {
            query: { scope: 'openid email team offline_access' },
          });
          const refreshed = await refreshTokens(signIns, app, refresh_token, { scope }).expect(200);
          for (const path of ['/any', '/email', '/photos', '/elsewhere']) {
            const { status } = await callApi(signIns, refreshed.body.access_token, path);
            expect([path, status]).toEqual([path, 401]);
          }
        },
      );

      test('a sign-in on a device needs no resource', async () => {
        const { body } = await postForm(request(signIns.server), '/oauth/device_authorization', {
          client_id: app.clientId,
          client_secret: app.clientSecret,
          scope: 'openid email',
        }).expect(200);
        expect(body.device_code).toBeDefined();
      });

      test.each(['openid photos:read', 'profile email', undefined])(
        'a request with the scope %s needs a resource',
        async (scope) => {
          const ada = await logInPerson(signIns);
          const query = codeQuery(app, { scope });
          const { searchParams } = locationOf(await ada.agent.get('/oauth/authorize').query(query));
          expect(searchParams.get('error')).toBe('invalid_target');
        },
      );

      test('a sign-in with a resource gets a token for the resource', async () => {
        const { access_token } = await obtainTokens(signIns, app, {
          query: { scope: 'openid photos:read', resource: signIns.url },
        });
        await userinfo(signIns, access_token).expect(200);
        await request(signIns.server).get('/any').set('Authorization', `Bearer ${access_token}`).expect(200);
      });
    },
  );

  test('a site without resources needs no resource in requests', async () => {
    await using other = await openSite({ security: { requireResource: true } });
    const { clientId, clientSecret } = await other.client();
    await postToken(other, {
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
    }).expect(200);
  });
});
