import { describe, expect, test } from '@jest/globals';

import { codeQuery, logInPerson } from '../../support/person.js';
import { openSite, SCOPES, startLike } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';
import { callApi, obtainTokens, tokenRequest } from '../../support/tokens.js';

const site = siteFor();
/** The same site with `defaultScopes`. */
const modest = siteFor(() => ({ database: site.database, defaultScopes: ['profile', 'photos:read'] }));
/** The same site after most scopes were removed. */
const smaller = siteFor(() => ({ database: site.database, scopes: { profile: 'See your name' } }));
const client = fixture(() => site.client());
const narrow = fixture(() => site.client({ scopes: ['photos:read'] }));
const ada = fixture(() => logInPerson(site));

const sorted = (scope: string) => scope.split(' ').sort();

/** The granted scope of a request, or the error. */
async function scopeFor(scope: string | undefined, at = site, as = client): Promise<string> {
  const { body } = await tokenRequest(at, as, { grant_type: 'client_credentials', scope });
  return body.scope ?? body.error;
}

async function errorOfAuthorize(scope: string): Promise<string | null> {
  const location = await ada.authorize(codeQuery(client, { scope }));
  return location.searchParams.get('error');
}

describe('§3.3 a scope', () => {
  test('§3.3 a scope is a list, in any order [A.4-1]', async () => {
    expect(sorted(await scopeFor('profile photos:read'))).toEqual(['photos:read', 'profile']);
    expect(sorted(await scopeFor('  photos:read   profile '))).toEqual(['photos:read', 'profile']);
  });

  test('§3.3 the response names each scope once, also if the request repeats a scope [A.4-1]', async () => {
    expect(await scopeFor('profile profile profile')).toBe('profile');
  });

  test.each([
    // compared exactly
    'Profile',
    'PROFILE',
    'profil',
    'profile,photos:read',
    'photos:*',
    'photos',
    '__proto__',
    'constructor',
    'profile\u00a0photos:read',
    // malformed
    '"profile"',
    'pro\\file',
    'profilé',
    'profile\tphotos:read',
    'profile\nphotos:read',
    'pro\u007f',
    ' ',
    '🖼️',
  ])('§3.3 the scope %j is refused [A.4-1]', async (scope) => {
    expect(await scopeFor(scope)).toBe('invalid_scope');
    expect(await errorOfAuthorize(scope)).toBe('invalid_scope');
  });

  test('§3.3 an unknown scope beside others is omitted, and the response has the granted scopes [3.3-1]', async () => {
    expect(await scopeFor('profile albums')).toBe('profile');
    expect(await errorOfAuthorize('profile albums')).toBeNull();
  });

  test('§3.3 a scope may have each character of the RFC [A.4-1]', async () => {
    const scope = "!#$%&'()*+,-./09:;<=>?@AZ[]^_`az{|}~";
    await using odd = await openSite({ scopes: { [scope]: 'Do something' } });
    expect(await scopeFor(scope, odd, await odd.client())).toBe(scope);
  });

  test.each(['a b', 'a"b', 'a\\b', 'ä', ''])('§3.3 a site cannot have the scope %j [A.4-1]', (scope) => {
    expect(() => startLike(site, { scopes: { [scope]: 'Do something' } })).toThrow(/scope/);
  });
});

describe('§3.3 no scope in the request', () => {
  test('§3.3 a request without a scope requests all scopes of the client [3.3-1] [3.3-2]', async () => {
    expect(sorted(await scopeFor(undefined))).toEqual(Object.keys(SCOPES).sort());
    expect(await scopeFor(undefined, site, narrow)).toBe('photos:read');
    expect(sorted((await obtainTokens(site, client)).scope)).toEqual(Object.keys(SCOPES).sort());
  });

  test('§3.3 a request without a scope requests defaultScopes within the registration of the client [3.3-1] [3.3-2]', async () => {
    expect(sorted(await scopeFor(undefined, modest))).toEqual(['photos:read', 'profile']);
    expect(await scopeFor(undefined, modest, narrow)).toBe('photos:read');
    expect(sorted((await obtainTokens(modest, client)).scope)).toEqual(['photos:read', 'profile']);
  });

  test('§3.3 defaultScopes do not limit an explicit request', async () => {
    expect(await scopeFor('photos:write', modest)).toBe('photos:write');
  });
});

describe('§3.3 the scope of the response', () => {
  test('§3.3 the response has the scope also if the request had the same scope [3.3-1]', async () => {
    expect(await scopeFor('profile')).toBe('profile');
    expect((await obtainTokens(site, client, { query: { scope: 'profile' } })).scope).toBe('profile');
  });

  test('§3.3 the scope of the response is the scope of the token [3.3-1]', async () => {
    const { access_token: token, scope } = await obtainTokens(site, client, {
      query: { scope: 'photos:read photos:write' },
      choice: { scopes: ['photos:write'] },
      as: 'grace',
    });
    expect(scope).toBe('photos:write');
    expect((await callApi(site, token)).body.scopes).toEqual(['photos:write']);
    expect((await callApi(site, token, '/api/photos')).status).toBe(403);
    expect((await callApi(site, token, '/api/any')).status).toBe(200);
  });
});

describe('§10.3 the scopes of a client', () => {
  test('§10.3 a scope that the client has lost is refused [10.3-5]', async () => {
    const { clientId, ...credentials } = await site.client();
    await site.oauth.clients.update(clientId, { scopes: ['profile'] });
    for (const scope of ['photos:read', 'photos:read profile'])
      expect(await scopeFor(scope, site, { clientId, ...credentials })).toBe('invalid_scope');
    expect(await scopeFor(undefined, site, { clientId, ...credentials })).toBe('profile');
  });

  test('§3.3 a scope that the site has removed is refused', async () => {
    expect(await scopeFor('photos:read', smaller)).toBe('invalid_scope');
    expect(await scopeFor(undefined, smaller)).toBe('profile');
  });
});
