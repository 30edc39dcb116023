import { describe, expect, test } from '@jest/globals';

import type { ClientWithSecret } from '../../../lib/index.js';
import { locationOf, logInPerson, type Query } from '../../support/person.js';
import { fixture, siteFor } from '../../support/site-for.js';
import { createPkce, tokenRequest } from '../../support/tokens.js';

const site = siteFor();
const ada = fixture(() => logInPerson(site));

const { code_verifier: verifier, challenge } = createPkce();

const app = (...redirectUris: readonly string[]) => site.client({ type: 'public', redirectUris });

function ask(client: ClientWithSecret, redirectUri: string, more: Query = {}) {
  return ada.openAuthorize({
    response_type: 'code',
    client_id: client.clientId,
    redirect_uri: redirectUri,
    ...challenge,
    ...more,
  });
}

/** A registered redirect URI leads to the consent page, another redirect URI to an error page. */
async function isAccepted(client: ClientWithSecret, redirectUri: string): Promise<boolean> {
  const response = await ask(client, redirectUri);
  if (response.status !== 200) expect([response.status, response.headers.location]).toEqual([400, undefined]);
  return response.status === 200;
}

describe('§7.3 loopback', () => {
  test.each([
    ['http://127.0.0.1/callback', 'http://127.0.0.1:49152/callback'],
    ['http://127.0.0.1/callback', 'http://127.0.0.1/callback'],
    ['http://127.0.0.1:8080/callback', 'http://127.0.0.1:49152/callback'],
    ['http://127.0.0.1:8080/callback', 'http://127.0.0.1/callback'],
    ['http://127.0.0.1', 'http://127.0.0.1:49152'],
    ['http://127.0.0.1/', 'http://127.0.0.1:65535/'],
    ['http://127.0.0.1/callback?app=1', 'http://127.0.0.1:1/callback?app=1'],
    ['http://[::1]/callback', 'http://[::1]:49152/callback'],
    ['http://[::1]:8080/callback', 'http://[::1]:49152/callback'],
    ['http://localhost/callback', 'http://localhost:49152/callback'],
  ])('§7.3 %s allows the redirect URI %s with any port', async (registered, requested) => {
    expect(await isAccepted(await app(registered), requested)).toBe(true);
  });

  test('§7.3 a response to loopback goes to the requested port, and the token request needs the same port', async () => {
    const client = await app('http://127.0.0.1/callback');
    const redirectUri = 'http://127.0.0.1:49152/callback';
    const location = locationOf(await ada.choose(await ask(client, redirectUri, { state: 'xyz' })));
    expect(`${location.origin}${location.pathname}`).toBe(redirectUri);
    expect(location.searchParams.get('state')).toBe('xyz');
    const redeem = (uri: string) =>
      tokenRequest(site, client, {
        grant_type: 'authorization_code',
        code: location.searchParams.get('code') ?? '',
        redirect_uri: uri,
        code_verifier: verifier,
      });
    // RFC 6749 §4.1.3: the values must be identical, so another port is refused
    expect((await redeem('http://127.0.0.1:49153/callback')).body.error).toBe('invalid_grant');
    expect((await redeem('http://127.0.0.1/callback')).body.error).toBe('invalid_grant');
    expect((await redeem(redirectUri)).status).toBe(200);
  });

  test.each([
    ['another path', 'http://127.0.0.1:49152/other'],
    ['a longer path', 'http://127.0.0.1:49152/callback/'],
    ['a shorter path', 'http://127.0.0.1:49152/callbac'],
    ['the path in upper case', 'http://127.0.0.1:49152/CALLBACK'],
    ['an encoded path', 'http://127.0.0.1:49152/%63allback'],
    ['a path with ..', 'http://127.0.0.1:49152/x/../callback'],
    ['a query', 'http://127.0.0.1:49152/callback?a=1'],
    ['an empty query', 'http://127.0.0.1:49152/callback?'],
    ['a fragment', 'http://127.0.0.1:49152/callback#a'],
    ['https', 'https://127.0.0.1:49152/callback'],
    ['the scheme in upper case', 'HTTP://127.0.0.1:49152/callback'],
    ['another name of loopback', 'http://localhost:49152/callback'],
    ['loopback of IPv6', 'http://[::1]:49152/callback'],
    ['another address of 127/8', 'http://127.0.0.2:49152/callback'],
    ['a shorter spelling of the address', 'http://127.1:49152/callback'],
    ['the address as one number', 'http://2130706433:49152/callback'],
    ['a user name', 'http://ada@127.0.0.1:49152/callback'],
    ['the address as a user name', 'http://127.0.0.1:49152@evil.example/callback'],
    ['the address as the beginning of a name', 'http://127.0.0.1.evil.example/callback'],
    ['a backslash', 'http://127.0.0.1\\@evil.example/callback'],
    ['an invalid port', 'http://127.0.0.1:65536/callback'],
    ['a port of letters', 'http://127.0.0.1:http/callback'],
    ['an empty port', 'http://127.0.0.1:/callback'],
    ['a space at the end', 'http://127.0.0.1:49152/callback '],
    ['a line break at the end', 'http://127.0.0.1:49152/callback\n'],
  ])('§7.3, §8.10 loopback allows another port, and not %s', async (_what, requested) => {
    expect(await isAccepted(await app('http://127.0.0.1/callback'), requested)).toBe(false);
  });

  test.each([
    ['https://app.example/callback', 'https://app.example:8443/callback'],
    ['https://127.0.0.1/callback', 'https://127.0.0.1:8443/callback'],
    ['https://localhost:3000/callback', 'https://localhost:3001/callback'],
    ['com.example.app://127.0.0.1/callback', 'com.example.app://127.0.0.1:80/callback'],
  ])('§7.3 the port of %s has to be the registered port', async (registered, requested) => {
    const client = await app(registered);
    expect(await isAccepted(client, registered)).toBe(true);
    expect(await isAccepted(client, requested)).toBe(false);
  });

  test.each([
    'http://10.0.0.1/callback',
    'http://app.example/callback',
    'http://0.0.0.0/callback',
    'http://[::]/callback',
    'http://localhost.evil.example/',
    'http://127.0.0.1.nip.io/',
  ])('§8.3 %s is not loopback and cannot be registered', async (uri) => {
    await expect(app(uri)).rejects.toMatchObject({ error: 'invalid_redirect_uri' });
  });
});

describe('§7.1 private-use schemes', () => {
  const REGISTERED = 'com.example.app:/oauth/callback';

  test('§7.1 a private-use scheme gets the response', async () => {
    const location = locationOf(
      await ada.choose(await ask(await app(REGISTERED), REGISTERED, { state: 'xyz' })),
    );
    expect(location.href).toMatch(/^com\.example\.app:\/oauth\/callback\?code=/);
    expect(location.searchParams.get('state')).toBe('xyz');
  });

  test('§7.1 a scheme of an editor without a dot gets the response', async () => {
    const editor = 'cursor://anysphere.cursor-mcp/oauth/callback';
    const page = await ask(await app(editor), editor);
    expect(page.headers['content-security-policy']).toMatch(/form-action [^;]*\bcursor:/);
    expect(locationOf(await ada.choose(page)).href).toMatch(
      /^cursor:\/\/anysphere\.cursor-mcp\/oauth\/callback\?/,
    );
  });

  test.each([
    'com.example.app:/oauth/other',
    'com.example.app://oauth/callback',
    'com.example.other:/oauth/callback',
    'com.example.app:/oauth/callback?a=1',
    'COM.example.app:/oauth/callback',
    'com.example.app:/oauth/callback/../callback',
  ])('§8.4 %s differs from the registered URI and is refused', async (requested) => {
    expect(await isAccepted(await app(REGISTERED), requested)).toBe(false);
  });

  test.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'intent://x#Intent;end',
    'urn:ietf:wg:oauth:2.0:oob',
    'about:blank',
    'blob:https://a.example/x',
  ])('§7.1 %s leads to no application and cannot be registered', async (uri) => {
    await expect(app(uri)).rejects.toMatchObject({ error: 'invalid_redirect_uri' });
  });

  test('§7.2 an https: redirect URI of an app is compared exactly', async () => {
    const client = await app('https://app.example/callback');
    expect(await isAccepted(client, 'https://app.example/callback')).toBe(true);
    expect(await isAccepted(client, 'https://app.example/callback/')).toBe(false);
    expect(await isAccepted(client, 'https://app.example./callback')).toBe(false);
  });
});

describe('§8.6 repeated consent', () => {
  test.each(['http://127.0.0.1/callback', 'com.example.app:/callback'])(
    '§8.6 the person is asked for consent each time for %s',
    async (uri) => {
      const client = await app(uri);
      await ada.choose(await ask(client, uri));
      expect((await ask(client, uri)).status).toBe(200);
    },
  );

  test('§8.6 the person is asked for consent once for an https: redirect URI', async () => {
    const client = await app('https://app.example/callback');
    await ada.choose(await ask(client, 'https://app.example/callback'));
    expect((await ask(client, 'https://app.example/callback')).status).toBe(302);
  });

  test('§8.1 an app without PKCE is refused', async () => {
    const client = await app('com.example.app:/callback');
    const location = locationOf(
      await ada.openAuthorize({
        response_type: 'code',
        client_id: client.clientId,
        redirect_uri: 'com.example.app:/callback',
      }),
    );
    expect(location.searchParams.get('error')).toBe('invalid_request');
  });
});
