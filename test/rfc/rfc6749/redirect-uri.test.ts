import { describe, expect, test } from '@jest/globals';

import { locationOf, logInPerson, type Query } from '../../support/person.js';
import { REDIRECT_URI } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';

const site = siteFor({ grantTypes: ['authorization_code', 'refresh_token', 'implicit'] });
const ada = fixture(() => logInPerson(site));

function register(...redirectUris: string[]) {
  return site.client({ redirectUris });
}

async function authorize(redirectUris: readonly string[], query: Query) {
  const { clientId } = await register(...redirectUris);
  return ada.openAuthorize({ response_type: 'code', client_id: clientId, state: 'xyz', ...query });
}

describe('§3.1.2 the query of a redirect URI', () => {
  test('§3.1.2 a redirect URI keeps its query when a code is added [3.1.2-2]', async () => {
    const uri = 'https://print.example/callback?shop=a%20b&x=%7e+1&y';
    const location = (await ada.choose(await authorize([uri], { redirect_uri: uri }))).headers
      .location as string;
    expect(location.startsWith(`${uri}&code=`)).toBe(true);
  });

  test('§3.1.2 a redirect URI keeps its query when an error is added [3.1.2-2]', async () => {
    const uri = 'https://print.example/callback?shop=1';
    const { headers } = await authorize([uri], { redirect_uri: uri, scope: 'unknown' });
    expect(headers.location).toContain(`${uri}&error=invalid_scope`);
  });

  test('§3.1.2 a redirect URI keeps its query before the fragment of a token response [3.1.2-2]', async () => {
    const uri = 'https://print.example/callback?shop=1';
    const location = (await ada.choose(await authorize([uri], { redirect_uri: uri, response_type: 'token' })))
      .headers.location as string;
    expect(location.startsWith(`${uri}#access_token=`)).toBe(true);
  });

  test.each([
    'https://print.example/callback?a=b?',
    'https://print.example/callback?/?',
    'https://print.example/callback?a=b&',
  ])('§3.1.2 a parameter that is added to %j does not change the last parameter [3.1.2-2]', async (uri) => {
    const location = locationOf(await authorize([uri], { redirect_uri: uri, scope: 'unknown' }));
    const own = [...new URL(uri).searchParams];
    expect([...location.searchParams].slice(0, own.length)).toEqual(own);
    expect(location.searchParams.get('error')).toBe('invalid_scope');
  });

  test.each(['https://print.example', 'com.example.print:/callback', 'https://print.example/callback?'])(
    '§3.1.2 a query is added to %j',
    async (uri) => {
      const location = locationOf(await authorize([uri], { redirect_uri: uri, scope: 'unknown' }));
      expect(location.searchParams.get('error')).toBe('invalid_scope');
      expect(location.searchParams.get('state')).toBe('xyz');
    },
  );
});

describe('§3.1.2.3 comparison', () => {
  test.each([
    'https://print.example/callback/',
    'https://print.example/Callback',
    'https://PRINT.example/callback',
    'HTTPS://print.example/callback',
    'https://print.example:443/callback',
    'https://print.example/%63allback',
    'https://print.example/x/../callback',
    'https://print.example/callback?',
    'https://print.example/callback?x=1',
    'https://print.example/callback#',
    'https://print.example/callback ',
    'https://print.example.evil.example/callback',
    'https://print.example@evil.example/callback',
    'http://print.example/callback',
    'https://evil.example/callback',
    'javascript:alert(document.domain)',
    '/callback',
    '*',
  ])(
    '§3.1.2.3 the unregistered redirect URI %j is refused [3.1.2.3-2] [3.1.2.3-3] [3.1.2.4-1] [3.1.2.4-2] [4.1.2.1-1] [4.1.2.1-2] [10.6-3] [10.14-1]',
    async (uri) => {
      const page = await authorize([REDIRECT_URI], { redirect_uri: uri });
      expect(page.status).toBe(400);
      expect(page.headers.location).toBeUndefined();
      expect(page.headers['content-type']).toContain('text/html');
      expect(page.text).toContain('redirect_uri is not registered');
      // no link for the person; developers can unfold the requested URI
      expect(page.text).not.toMatch(/(href|src|action)="[^"]*evil\.example/);
      expect(page.text.split('<details')[0]).not.toContain('evil.example');
    },
  );

  test('§3.1.2.3 the redirect URI of the request is used if several redirect URIs are registered [3.1.2.3-2]', async () => {
    const uris = [REDIRECT_URI, 'https://print.example/other'];
    for (const uri of uris) {
      const location = (await ada.choose(await authorize(uris, { redirect_uri: uri }))).headers
        .location as string;
      expect(location.startsWith(`${uri}?code=`)).toBe(true);
    }
  });

  test('§3.1.2.3 redirect_uri is required if several redirect URIs are registered [3.1.2.3-1] [3.1.2.4-1] [3.1.2.4-2]', async () => {
    const page = await authorize([REDIRECT_URI, 'https://print.example/other'], {});
    expect(page.status).toBe(400);
    expect(page.headers.location).toBeUndefined();
    expect(page.text).toContain('redirect_uri is missing');
  });
});

describe('§4.1.2.1 errors without a redirect', () => {
  const wrong: readonly [string, Query][] = [
    ['client identifier', { client_id: 'nobody', redirect_uri: REDIRECT_URI }],
    ['redirect URI', { redirect_uri: 'https://evil.example/' }],
  ];

  test.each(wrong)(
    '§4.1.2.1, §4.2.2.1 an invalid %s gets an error page for each response type [4.1.2.1-1] [4.1.2.1-2] [4.2.2.1-1] [4.2.2.1-2] [4.2.1-4]',
    async (_what, query) => {
      for (const response_type of ['code', 'token']) {
        const page = await authorize([REDIRECT_URI], { response_type, ...query });
        expect(page.status).toBe(400);
        expect(page.headers.location).toBeUndefined();
        expect(page.headers.refresh).toBeUndefined();
        expect(page.headers['content-type']).toContain('text/html');
        expect(page.text).toContain('role="alert"');
      }
    },
  );
});
