import { describe, expect, test } from '@jest/globals';

import { fragmentOf, locationOf, logInPerson, type Query } from '../../support/person.js';
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

describe('§3.1.2 which redirect URIs can be registered', () => {
  test.each([
    '/callback',
    'print.example/callback',
    '//print.example/callback',
    'callback',
    '?x=y',
    'https:',
    'https://',
    '',
  ])('§3.1.2 %j cannot be registered: it is not absolute [3.1.2-1]', async (uri) => {
    await expect(register(uri)).rejects.toMatchObject({ error: 'invalid_redirect_uri' });
  });

  test.each([`${REDIRECT_URI}#part`, `${REDIRECT_URI}#`, 'com.example.print:/callback#x'])(
    '§3.1.2 %j cannot be registered: it has a fragment [3.1.2-3]',
    async (uri) => {
      await expect(register(uri)).rejects.toMatchObject({ error: 'invalid_redirect_uri' });
    },
  );

  test.each([
    'http://print.example/callback',
    'http://192.168.0.7/callback',
    'http://localhost.evil.example/',
    'HTTP://print.example/',
  ])('§3.1.2.1 %j cannot be registered: it is without TLS [3.1.2.1-1]', async (uri) => {
    await expect(register(uri)).rejects.toMatchObject({ error: 'invalid_redirect_uri' });
  });

  test.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'https://user:password@print.example/',
    'https://print.example/a b',
    'https://print.example/\r\nX: y',
    'https://print.example/"onload="',
  ])('§10.14 %j cannot be registered: it could harm somebody [10.14-1]', async (uri) => {
    await expect(register(uri)).rejects.toMatchObject({ error: 'invalid_redirect_uri' });
  });

  test.each(['https://*.print.example/callback', 'https://print.example/*'])(
    '§3.1.2.2 %j cannot be registered: it is a pattern and no URI in full [3.1.2.2-4]',
    async (uri) => {
      await expect(register(uri)).rejects.toMatchObject({ error: 'invalid_redirect_uri' });
    },
  );

  test.each([
    REDIRECT_URI,
    'https://print.example/callback?shop=1',
    'https://print.example',
    'http://127.0.0.1/callback',
    'http://[::1]:4000/',
    'http://localhost:4000/callback',
    'com.example.print:/callback',
  ])('§3.1.2 %j can be registered', async (uri) => {
    await expect(register(uri)).resolves.toMatchObject({ redirectUris: [uri] });
  });

  test.each(['code', 'state', 'iss', 'error', 'error_description'])(
    '§3.1 a redirect URI whose query has %s cannot be registered: the response would have it twice [3.1-8]',
    async (name) => {
      await expect(register(`${REDIRECT_URI}?${name}=1`)).rejects.toMatchObject({
        error: 'invalid_redirect_uri',
      });
    },
  );
});

describe('§3.1.2 the query of a redirect URI', () => {
  test('§3.1.2 the query of a redirect URI is kept as it is when a code is added [3.1.2-2]', async () => {
    const uri = 'https://print.example/callback?shop=a%20b&x=%7e+1&y';
    const location = (await ada.choose(await authorize([uri], { redirect_uri: uri }))).headers
      .location as string;
    expect(location.startsWith(`${uri}&code=`)).toBe(true);
  });

  test('§3.1.2 the query of a redirect URI is kept as it is when an error is added [3.1.2-2]', async () => {
    const uri = 'https://print.example/callback?shop=1';
    const { headers } = await authorize([uri], { redirect_uri: uri, scope: 'unknown' });
    expect(headers.location).toContain(`${uri}&error=invalid_scope`);
  });

  test('§3.1.2 the query of a redirect URI is kept as it is in front of a fragment [3.1.2-2]', async () => {
    const uri = 'https://print.example/callback?shop=1';
    const location = (await ada.choose(await authorize([uri], { redirect_uri: uri, response_type: 'token' })))
      .headers.location as string;
    expect(location.startsWith(`${uri}#access_token=`)).toBe(true);
  });

  test.each([
    'https://print.example/callback?a=b?',
    'https://print.example/callback?/?',
    'https://print.example/callback?a=b&',
  ])('§3.1.2 a parameter is added to %j, and not to the value of its last one [3.1.2-2]', async (uri) => {
    const location = locationOf(await authorize([uri], { redirect_uri: uri, scope: 'unknown' }));
    const own = [...new URL(uri).searchParams];
    expect([...location.searchParams].slice(0, own.length)).toEqual(own);
    expect(location.searchParams.get('error')).toBe('invalid_scope');
  });

  test.each(['https://print.example', 'com.example.print:/callback', 'https://print.example/callback?'])(
    '§3.1.2 a query is made where %j has none',
    async (uri) => {
      const location = locationOf(await authorize([uri], { redirect_uri: uri, scope: 'unknown' }));
      expect(location.searchParams.get('error')).toBe('invalid_scope');
      expect(location.searchParams.get('state')).toBe('xyz');
    },
  );
});

describe('§3.1.2.3 comparing', () => {
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
    '§3.1.2.3 %j is not the registered one [3.1.2.3-2] [3.1.2.3-3] [3.1.2.4-1] [3.1.2.4-2] [4.1.2.1-1] [4.1.2.1-2] [10.6-3] [10.14-1]',
    async (uri) => {
      const page = await authorize([REDIRECT_URI], { redirect_uri: uri });
      expect(page.status).toBe(400);
      expect(page.headers.location).toBeUndefined();
      expect(page.headers['content-type']).toContain('text/html');
      expect(page.text).toContain('redirect_uri is not registered');
      // nothing for the person to click on either; developers read, folded, what was asked for
      expect(page.text).not.toMatch(/(href|src|action)="[^"]*evil\.example/);
      expect(page.text.split('<details')[0]).not.toContain('evil.example');
    },
  );

  test('§3.1.2.3 of several redirect URIs, the one in the request is called [3.1.2.3-2]', async () => {
    const uris = [REDIRECT_URI, 'https://print.example/other'];
    for (const uri of uris) {
      const location = (await ada.choose(await authorize(uris, { redirect_uri: uri }))).headers
        .location as string;
      expect(location.startsWith(`${uri}?code=`)).toBe(true);
    }
  });

  test('§3.1.2.3 of several redirect URIs, one has to be named [3.1.2.3-1] [3.1.2.4-1] [3.1.2.4-2]', async () => {
    const page = await authorize([REDIRECT_URI, 'https://print.example/other'], {});
    expect(page.status).toBe(400);
    expect(page.headers.location).toBeUndefined();
    expect(page.text).toContain('redirect_uri is missing');
  });

  test('§3.1.2.3 of one redirect URI, none has to be named', async () => {
    const location = (await ada.choose(await authorize([REDIRECT_URI], {}))).headers.location as string;
    expect(location.startsWith(`${REDIRECT_URI}?code=`)).toBe(true);
  });

  test('§3.1.2.3 on loopback the port is free, all else is not (RFC 8252 §7.3) [3.1.2.3-2]', async () => {
    const registered = ['http://127.0.0.1/callback'];
    expect((await authorize(registered, { redirect_uri: 'http://127.0.0.1:51004/callback' })).status).toBe(
      200,
    );
    expect((await authorize(registered, { redirect_uri: 'http://127.0.0.1:51004/other' })).status).toBe(400);
    expect((await authorize(registered, { redirect_uri: 'http://localhost:51004/callback' })).status).toBe(
      400,
    );
    expect(
      (await authorize(registered, { redirect_uri: 'http://127.0.0.1:51004@evil.example/callback' })).status,
    ).toBe(400);
  });
});

describe('§4.1.2.1 errors that go nowhere', () => {
  const wrong: readonly [string, Query][] = [
    ['client identifier', { client_id: 'nobody', redirect_uri: REDIRECT_URI }],
    ['redirect URI', { redirect_uri: 'https://evil.example/' }],
  ];

  test.each(wrong)('§4.1.2.1 an invalid %s gets a page [4.1.2.1-1] [4.1.2.1-2]', async (_what, query) => {
    const page = await authorize([REDIRECT_URI], query);
    expect(page.status).toBe(400);
    expect(page.headers.location).toBeUndefined();
    expect(page.headers.refresh).toBeUndefined();
    expect(page.headers['content-type']).toContain('text/html');
    expect(page.text).toContain('role="alert"');
  });

  test.each(wrong)(
    '§4.2.2.1 an invalid %s gets a page for the implicit grant as well [4.2.2.1-1] [4.2.2.1-2] [4.2.1-4]',
    async (_what, query) => {
      const page = await authorize([REDIRECT_URI], { response_type: 'token', ...query });
      expect(page.status).toBe(400);
      expect(page.headers.location).toBeUndefined();
      expect(page.text).toContain('role="alert"');
    },
  );

  test('§4.2.1 the implicit grant calls the registered URI [4.2.1-4]', async () => {
    const location = locationOf(
      await ada.choose(
        await authorize([REDIRECT_URI], { response_type: 'token', redirect_uri: REDIRECT_URI }),
      ),
    );
    expect(location.href.startsWith(`${REDIRECT_URI}#`)).toBe(true);
    expect(fragmentOf(location).get('access_token')).toMatch(/./);
  });

  test('§10.14 what was sent is shown as text and never as markup [10.14-1]', async () => {
    const page = await authorize([REDIRECT_URI], {
      redirect_uri: '"><script>alert(1)</script>',
      client_id: '<script>alert(2)</script>',
    });
    expect(page.status).toBe(400);
    expect(page.text).not.toContain('<script');
  });
});
