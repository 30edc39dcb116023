import { beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';

import { openSite } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';
import { callApi, tokenRequest } from '../../support/tokens.js';

/** A scope may have all characters of RFC 6749 §3.3, even those that look like markup or a list. */
const ODD_SCOPE = "!#$%&'()*+,-./:;<=>?@[]^_`{|}~";

const site = siteFor({
  scopes: { 'photos:read': 'See', 'photos:write': 'Add', profile: 'Name', [ODD_SCOPE]: 'Odd' },
});
const client = fixture(() => site.client());

beforeAll(() => {
  site.app.get('/api/odd', site.oauth.guard(ODD_SCOPE), (_req, res) => void res.json({}));
  site.app.get(
    '/api/either',
    site.oauth.guard({ scopes: ['photos:read', 'profile'], any: true }),
    (req, res) => void res.json(req.auth),
  );
  site.app.get(
    '/api/both',
    site.oauth.guard({ scopes: ['photos:read', 'profile'] }),
    (req, res) => void res.json(req.auth),
  );
  site.app.get(
    '/api/maybe-photos',
    site.oauth.guard({ scopes: ['photos:read'], optional: true }),
    (req, res) => void res.json(req.auth ?? { nobody: true }),
  );
  site.app.use('/api', site.oauth.errorHandler);
});

async function tokenFor(...scopes: readonly string[]): Promise<string> {
  const response = await tokenRequest(site, client, {
    grant_type: 'client_credentials',
    scope: scopes.join(' '),
  });
  return response.body.access_token;
}

/** A whole challenge, which always ends with the address of the resource's metadata (RFC 9728 §5.1). */
const challenge = (what = '') =>
  `Bearer realm="${new URL(site.url).host}"${what}, resource_metadata="${site.url}/.well-known/oauth-protected-resource"`;

describe('§3 the challenge, letter by letter', () => {
  test('§3.1 a request without a token at a route without scopes gets a challenge without a scope [3-1] [3-2] [3-3] [3-4] [3.1-4]', async () => {
    const response = await request(site.server).get('/api/me');
    expect(response.status).toBe(401);
    expect(response.headers['www-authenticate']).toBe(challenge());
  });

  test('§3.1 a request without a token gets a challenge with the scope of the route [3-1] [3-5] [3.1-4]', async () => {
    const response = await request(site.server).get('/api/photos');
    expect(response.status).toBe(401);
    expect(response.headers['www-authenticate']).toBe(challenge(', scope="photos:read"'));
  });

  test('§3.1 a request without a token gets a challenge with all scopes of the route [3-5] [3-8]', async () => {
    const response = await request(site.server).post('/api/photos');
    expect(response.headers['www-authenticate']).toBe(challenge(', scope="photos:read photos:write"'));
  });

  test('§3.1 an unknown token is answered invalid_token [3-6] [3-7] [3-10] [3.1-2]', async () => {
    const response = await callApi(site, 'abc', '/api/photos');
    expect(response.status).toBe(401);
    expect(response.headers['www-authenticate']).toBe(
      challenge(
        ', error="invalid_token", error_description="the access token is invalid, expired or revoked", scope="photos:read"',
      ),
    );
  });

  test('§3.1 a token with too few scopes is answered insufficient_scope [3-5] [3-6] [3-7] [3.1-3] [3.1-7]', async () => {
    const response = await callApi(site, await tokenFor('profile'), '/api/photos');
    expect(response.status).toBe(403);
    expect(response.headers['www-authenticate']).toBe(
      challenge(
        ', error="insufficient_scope", error_description="the access token needs the scope photos:read", scope="photos:read profile"',
      ),
    );
  });

  test('§3 the challenge has unusual scopes within the characters of the attribute [3-8] [3-9]', async () => {
    const response = await callApi(site, await tokenFor('profile'), '/api/odd');
    const challenge = String(response.headers['www-authenticate']);
    expect(/ scope="([^"]*)"/.exec(challenge)?.[1]).toBe(`${ODD_SCOPE} profile`);
    expect(/error_description="([\x20-\x21\x23-\x5b\x5d-\x7e]*)"/.exec(challenge)?.[1]).toContain(ODD_SCOPE);
    expect((await callApi(site, await tokenFor(ODD_SCOPE), '/api/odd')).status).toBe(200);
  });

  test('§3.1 the body of a refusal has the same error as JSON, and is not cached', async () => {
    const response = await callApi(site, await tokenFor('profile'), '/api/photos');
    expect(response.headers['content-type']).toBe('application/json;charset=UTF-8');
    expect(response.headers['cache-control']).toBe('no-store');
    expect(response.body).toEqual({
      error: 'insufficient_scope',
      error_description: 'the access token needs the scope photos:read',
    });
  });

  test('§3 an accepted request gets no challenge', async () => {
    expect((await callApi(site, await tokenFor('profile'))).headers).not.toHaveProperty('www-authenticate');
  });
});

describe('§3.1 scopes of a route', () => {
  test.each([
    ['/api/me', [], 200],
    ['/api/photos', ['photos:read'], 200],
    ['/api/photos', ['photos:write'], 403],
    ['/api/both', ['photos:read', 'profile'], 200],
    ['/api/both', ['photos:read', 'profile', 'photos:write'], 200],
    ['/api/both', ['photos:read'], 403],
    ['/api/both', ['profile'], 403],
    ['/api/any', ['photos:write'], 200],
    ['/api/any', ['profile'], 200],
    ['/api/any', ['photos:read'], 403],
    ['/api/either', ['photos:read'], 200],
    ['/api/either', ['profile'], 200],
    ['/api/either', ['photos:write'], 403],
    ['/api/maybe-photos', ['photos:read'], 200],
    ['/api/maybe-photos', ['profile'], 403],
  ])('§3.1 the route %s answers a token for %j with %i [3.1-3]', async (path, scopes, status) => {
    const token = await tokenFor(...(scopes.length === 0 ? ['profile'] : scopes));
    expect((await callApi(site, token, path)).status).toBe(status);
  });

  test('§3.1 the challenge names all scopes if one of several is enough [3.1-3]', async () => {
    const response = await callApi(site, await tokenFor('photos:write'), '/api/either');
    expect(response.headers['www-authenticate']).toBe(
      challenge(
        ', error="insufficient_scope", error_description="the access token needs one of the scopes photos:read profile", scope="photos:read profile photos:write"',
      ),
    );
  });

  test('§3.1 scopes are compared as a whole and case-sensitively [3.1-3]', async () => {
    await using other = await openSite({
      scopes: { photos: 'All', 'photos:read': 'See', 'PHOTOS:READ': 'Shout' },
    });
    other.app.get('/api/see', other.oauth.guard('photos:read'), (_req, res) => void res.json({}));
    const itsClient = await other.client();
    for (const [scope, status] of [
      ['photos', 403],
      ['PHOTOS:READ', 403],
      ['photos:read', 200],
    ] as const) {
      const { body } = await tokenRequest(other, itsClient, { grant_type: 'client_credentials', scope });
      expect((await callApi(other, body.access_token, '/api/see')).status).toBe(status);
    }
  });
});

describe('§3 optional tokens', () => {
  test('§3 a request without a token reaches the route without req.auth', async () => {
    const response = await request(site.server).get('/api/maybe');
    expect(response.status).toBe(200);
    expect(response.body).toEqual({ nobody: true });
    expect(response.headers).not.toHaveProperty('www-authenticate');
  });

  test('§3 another authentication scheme counts as no token', async () => {
    expect((await request(site.server).get('/api/maybe').set('Authorization', 'Basic YTpi')).body).toEqual({
      nobody: true,
    });
  });

  test('§3 a valid optional token sets req.auth', async () => {
    const token = await tokenFor('profile');
    expect((await callApi(site, token, '/api/maybe')).body).toMatchObject({ token, scopes: ['profile'] });
  });

  test('§3 an invalid optional token is refused [3-1] [3.1-2]', async () => {
    const response = await callApi(site, 'abc', '/api/maybe');
    expect(response.status).toBe(401);
    expect(response.headers['www-authenticate']).toContain('error="invalid_token"');
  });
});
