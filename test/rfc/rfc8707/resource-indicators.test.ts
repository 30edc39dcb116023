import { beforeAll, describe, expect, test } from '@jest/globals';

import { openFolder } from '../../support/folder.js';
import { takeApart, verifyByKeys } from '../../support/jwt.js';
import { codeQuery, formatQuery, logInPerson } from '../../support/person.js';
import { refusal } from '../../support/refusal.js';
import { openSite, REDIRECT_URI, startLike } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';
import {
  callApi,
  clientRequest,
  obtainCode,
  postToken,
  redeem,
  refreshTokens,
  tokenRequest,
} from '../../support/tokens.js';

const PHOTOS = 'https://api.photos.example';
const ALBUMS = 'https://albums.example/v1';

describe('RFC 8707: resource indicators', () => {
  const site = siteFor({
    grantTypes: ['authorization_code', 'refresh_token', 'client_credentials', 'implicit', 'password'],
    resources: {
      [PHOTOS]: { scopes: ['photos:read', 'photos:write'], accessTokenFormat: 'jwt', accessTokenTtl: 600 },
      [ALBUMS]: { scopes: ['photos:read', 'profile'] },
    },
  });
  const client = fixture(() => site.client());

  beforeAll(() => {
    site.app.get('/photos', site.oauth.guard({ resource: PHOTOS }), (req, res) => res.json(req.auth));
    site.app.get('/albums', site.oauth.guard({ resource: ALBUMS, scopes: ['profile'] }), (req, res) =>
      res.json(req.auth),
    );
    site.app.use(site.oauth.errorHandler);
  });

  /** The authorization response for the resources, in their order. */
  const codeFor = async (resources: string[], scope?: string) => {
    const person = await logInPerson(site);
    const repeated = new URLSearchParams(
      resources.map((resource): [string, string] => ['resource', resource]),
    );
    const page = await person.openAuthorize(
      `${formatQuery(codeQuery(client, { scope }))}&${repeated.toString()}`,
    );
    const answer = page.status === 200 ? await person.choose(page) : page;
    return new URL(answer.headers.location ?? '').searchParams;
  };
  const code = async (resources: string[], scope?: string) =>
    String((await codeFor(resources, scope)).get('code'));
  const statuses = async (token: string) => [
    (await callApi(site, token)).status,
    (await callApi(site, token, '/photos')).status,
    (await callApi(site, token, '/albums')).status,
  ];

  test('§2.1, §2.2 a token is for the resource of the authorization request, with its format, lifetime and scopes [2-6]', async () => {
    const response = await redeem(site, client, await code([PHOTOS]));
    expect(response.body).toMatchObject({ expires_in: 600, scope: 'photos:read photos:write' });
    const { claims } = await verifyByKeys(site, response.body.access_token, PHOTOS);
    expect(claims).toMatchObject({ aud: PHOTOS, scope: 'photos:read photos:write' });
    expect((await callApi(site, response.body.access_token, '/photos')).body).toMatchObject({
      resource: `${PHOTOS}/`,
      scopes: ['photos:read', 'photos:write'],
    });
  });

  test('a token for one resource is refused at another resource and at the API of the server [2-6]', async () => {
    const forPhotos = (await redeem(site, client, await code([PHOTOS]))).body.access_token;
    const forAlbums = (await redeem(site, client, await code([ALBUMS]))).body.access_token;
    const forNone = (await redeem(site, client, await obtainCode(site, client))).body.access_token;
    expect(await statuses(forPhotos)).toEqual([401, 200, 401]);
    expect(await statuses(forAlbums)).toEqual([401, 401, 200]);
    expect(await statuses(forNone)).toEqual([200, 401, 401]);
  });

  test('§2.1, §2.2 the resource parameter may be repeated, and each token is for one of the granted resources', async () => {
    const tokens = (await redeem(site, client, await code([PHOTOS, ALBUMS]), { resource: ALBUMS })).body;
    expect(tokens.scope).toBe('photos:read profile');
    expect(await statuses(tokens.access_token)).toEqual([401, 401, 200]);
    const refreshed = (await refreshTokens(site, client, tokens.refresh_token, { resource: PHOTOS })).body;
    expect(refreshed.scope).toBe('photos:read photos:write');
    expect(takeApart(refreshed.access_token).claims.aud).toBe(PHOTOS);
  });

  test('§2 a token request has to name exactly one of several granted resources, and the code stays valid', async () => {
    const value = await code([PHOTOS, ALBUMS]);
    expect(await redeem(site, client, value)).toMatchObject(refusal(400, 'invalid_target'));
    expect(await redeem(site, client, value, { resource: [PHOTOS, ALBUMS] })).toMatchObject(
      refusal(400, 'invalid_target'),
    );
    expect((await redeem(site, client, value, { resource: PHOTOS })).status).toBe(200);
  });

  test('§2.2 a resource that was not granted is refused at the token endpoint', async () => {
    const value = await code([ALBUMS]);
    expect(await redeem(site, client, value, { resource: PHOTOS })).toMatchObject(
      refusal(400, 'invalid_target'),
    );
    const tokens = (await redeem(site, client, value)).body;
    const refresh = (resource: string) => refreshTokens(site, client, tokens.refresh_token, { resource });
    expect(await refresh(PHOTOS)).toMatchObject({ status: 400, body: { error: 'invalid_target' } });
    const ofNone = (await redeem(site, client, await obtainCode(site, client))).body;
    expect(await refreshTokens(site, client, ofNone.refresh_token, { resource: PHOTOS })).toMatchObject(
      refusal(400, 'invalid_target'),
    );
    expect((await refresh(ALBUMS)).status).toBe(200);
  });

  test.each([
    'https://unknown.example',
    'not a URL',
    '/relative',
    `${PHOTOS}#fragment`,
    'https://api.photos.example.attacker.example',
    'HTTPS://albums.example/V1',
    `${PHOTOS} ${ALBUMS}`,
  ])('§2 the resource %s is answered invalid_target [2-1] [2-2]', async (resource) => {
    expect(Object.fromEntries(await codeFor([resource]))).toMatchObject({ error: 'invalid_target' });
    expect(await tokenRequest(site, client, { grant_type: 'client_credentials', resource })).toMatchObject(
      refusal(400, 'invalid_target'),
    );
  });

  test('RFC 3986 §6.2.3 an empty path and / are the same resource, and aud has the spelling of the server', async () => {
    const response = await tokenRequest(site, client, {
      grant_type: 'client_credentials',
      resource: `${PHOTOS}/`,
      scope: 'photos:read',
    });
    expect(takeApart(response.body.access_token).claims.aud).toBe(PHOTOS);
    expect((await callApi(site, response.body.access_token, '/photos')).status).toBe(200);
  });

  test('each grant type accepts a resource', async () => {
    for (const fields of [
      { grant_type: 'client_credentials' },
      { grant_type: 'password', username: 'ada', password: 'password of ada' },
    ]) {
      const response = await tokenRequest(site, client, { ...fields, resource: PHOTOS });
      expect(takeApart(response.body.access_token).claims.aud).toBe(PHOTOS);
    }
    const person = await logInPerson(site);
    const location = await person.authorize({
      response_type: 'token',
      client_id: client.clientId,
      redirect_uri: REDIRECT_URI,
      resource: PHOTOS,
    });
    expect(
      takeApart(String(new URLSearchParams(location.hash.slice(1)).get('access_token'))).claims.aud,
    ).toBe(PHOTOS);
  });

  test('scopes without a meaning at the resource are omitted, or refused if no scope is left', async () => {
    expect(
      (
        await tokenRequest(site, client, {
          grant_type: 'client_credentials',
          resource: PHOTOS,
          scope: 'photos:read profile',
        })
      ).body.scope,
    ).toBe('photos:read');
    expect(
      (
        await tokenRequest(site, client, {
          grant_type: 'client_credentials',
          resource: PHOTOS,
          scope: 'profile',
        })
      ).body.error,
    ).toBe('invalid_scope');
    expect((await codeFor([PHOTOS], 'profile')).get('error')).toBe('invalid_scope');
  });

  test('consent for one resource does not cover another resource', async () => {
    const person = await logInPerson(site, 'grace');
    const open = (resource?: string) =>
      person.openAuthorize(codeQuery(client, { scope: 'photos:read', resource }));
    await person.choose(await open(PHOTOS));
    expect((await open(PHOTOS)).status).toBe(302);
    for (const other of [ALBUMS, undefined]) expect((await open(other)).status).toBe(200);
  });

  test('a view of the consent page gets the names or hosts of the resources', async () => {
    await using folder = await openFolder({
      'consent.ejs':
        '<% for (const { resource, name } of resources) { %>[<%= name %> at <%= resource %>]<% } %>',
    });
    await using own = await openSite({
      database: site.database,
      pages: { views: folder.path },
      resources: { [PHOTOS]: { name: 'Photo archive <2>' }, [ALBUMS]: {} },
    });
    const { clientId } = await own.client();
    const person = await logInPerson(own);
    const page = async (query: string) =>
      (await person.openAuthorize(`${formatQuery(codeQuery(clientId))}&${query}`)).text;
    expect(await page(`resource=${PHOTOS}&resource=${ALBUMS}`)).toBe(
      `[Photo archive &lt;2&gt; at ${PHOTOS}][albums.example at ${ALBUMS}]`,
    );
    expect(await page('')).toBe('');
  });

  test('RFC 7662 §2.2 introspection returns the audience', async () => {
    const resourceServer = await site.client({ introspection: true, grantTypes: ['client_credentials'] });
    const { access_token: token } = (await redeem(site, client, await code([ALBUMS]))).body;
    const response = await clientRequest(site, resourceServer, '/oauth/introspect', { token });
    expect(response.body).toMatchObject({ active: true, aud: ALBUMS });
  });

  test('repeated parameters beside resource are refused', async () => {
    expect(
      await postToken(site, { grant_type: ['client_credentials', 'password'], resource: PHOTOS }),
    ).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });

  test('a server without resources ignores the resource parameter (RFC 6749 §3.2)', async () => {
    await using plain = await openSite({ database: site.database });
    const response = await tokenRequest(plain, client, {
      grant_type: 'client_credentials',
      resource: [PHOTOS, 'x'],
    });
    expect((await callApi(plain, response.body.access_token)).status).toBe(200);
  });

  test('wrong resources throw at the start', () => {
    const start = (resources: Record<string, object>) => () => startLike(site, { resources });
    expect(start({ 'api.photos.example': {} })).toThrow('absolute URL');
    expect(start({ [`${PHOTOS}#x`]: {} })).toThrow('no fragment');
    expect(start({ [PHOTOS]: { scopes: ['no:such'] } })).toThrow("'no:such' is not among scopes");
    expect(start({ [PHOTOS]: {}, [`${PHOTOS}/`]: {} })).toThrow('twice');
    expect(start({ [PHOTOS]: { accessTokenFormat: 'JWT' } })).toThrow("'opaque' or 'jwt'");
    expect(() => site.oauth.guard({ resource: 'https://unknown.example' })).toThrow(
      'not among the resources',
    );
  });
});
