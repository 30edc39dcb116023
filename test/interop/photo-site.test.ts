import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';

import { describe, expect, test } from '@jest/globals';

import { startMongo } from '../support/mongodb.js';
import { fixture } from '../support/site-for.js';
import { until } from '../support/until.js';
import { startExample } from './support/example.js';
import { openLoggedInBrowser } from './support/flows.js';

const example = fixture(() => startExample());

describe('the pages of the photo site', () => {
  test('the photo site shows photos to their owner only, after a login that leads back', async () => {
    const anonymous = await fetch(`${example.issuer}/photos`, { redirect: 'manual' });
    expect([anonymous.status, anonymous.headers.get('location')]).toEqual([
      303,
      '/login?return_to=%2Fphotos',
    ]);

    const browser = await openLoggedInBrowser(example.issuer);
    const page = await browser.open(`${example.issuer}/photos`);
    const [, picture] = /src="(\/photos\/\w+\/picture)"/.exec(page.text) ?? [];
    expect((await browser.open(new URL(picture!, example.issuer))).text).toContain('<svg');
    expect((await fetch(new URL(picture!, example.issuer), { redirect: 'manual' })).status).toBe(303);
  });

  test("the photo site's log out ends the session, and only by the form", async () => {
    const browser = await openLoggedInBrowser(example.issuer);
    const page = await browser.open(`${example.issuer}/logout`);
    expect((await browser.open(`${example.issuer}/photos`)).text).toContain('Ada Lovelace');
    const [, form] = /<form[^>]* id="([^"]+)"/.exec(page.text) ?? [];
    await browser.submit(page, form!);
    expect((await browser.open(`${example.issuer}/photos`)).url.pathname).toBe('/login');
  });

  test.each([
    ['/nothing', 404],
    ['/photos/%ff/picture', 400],
    ['//evil.example/..%2f', 404],
    ['/playground/callback?code=%3Cscript%3Ealert(1)%3C/script%3E&state[]=1&__proto__=2', 200],
  ])('the photo site answers %s by a page with %i', async (path, status) => {
    const response = await fetch(example.issuer + path, { redirect: 'manual' });
    expect(response.status).toBe(status);
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    const text = await response.text();
    expect(text).toContain('Lantern Photos');
    expect(text).not.toContain('<script');
  });
});

test('the photo site answers OPTIONS * without a failure', async () => {
  const { hostname, port } = new URL(example.issuer);
  const requested = request({ hostname, port, method: 'OPTIONS', path: '*' }).end();
  const [response] = (await once(requested, 'response')) as [IncomingMessage];
  response.resume();
  expect(response.statusCode).toBe(204);
});

describe('the API of the photo site', () => {
  test.each([
    ['an object as title', 400, 'application/json', '{"title":{"$ne":1}}'],
    ['an empty title', 400, 'application/json', '{"title":""}'],
    ['a long title', 400, 'application/json', `{"title":"${'a'.repeat(101)}"}`],
    ['half a character', 400, 'application/json', '{"title":"\\ud800"}'],
    ['a NUL character', 400, 'application/json', '{"title":"\\u0000"}'],
    ['broken JSON', 400, 'application/json', '{'],
    ['a form', 400, 'application/x-www-form-urlencoded', 'title=x'],
    ['20 kB', 413, 'application/json', `{"title":"${'a'.repeat(20_000)}"}`],
    ['an unknown charset', 415, 'application/json; charset=nope', '{}'],
  ])('POST /api/photos refuses %s with %i', async (_name, status, type, body) => {
    const token = await serviceToken();
    const response = await fetch(`${example.issuer}/api/photos`, {
      method: 'POST',
      body,
      headers: { authorization: `Bearer ${token}`, 'content-type': type },
    });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: 'invalid_request' });
    const photos = await fetch(`${example.issuer}/api/photos`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(await photos.json()).toEqual([]);
  });

  test('a foreign photo and a missing path of the API are 404', async () => {
    const headers = { authorization: `Bearer ${await serviceToken()}` };
    for (const path of [
      '/api/photos/nonsense/picture',
      '/api/photos/0123456789abcdef01234567/picture',
      '/api/nothing',
    ]) {
      const response = await fetch(example.issuer + path, { headers });
      expect([response.status, await response.json()]).toEqual([
        404,
        expect.objectContaining({ error: 'not_found' }),
      ]);
    }
  });
});

describe('the photo site without its database', () => {
  test('the photo site answers 503 while its database is down, and recovers', async () => {
    const mongo = await startMongo({ log: () => undefined });
    if (mongo.kill === undefined || mongo.start === undefined) return; // MONGODB_URI: not ours to kill
    const site = await startExample({ environment: { MONGODB_URI: mongo.uri } });
    try {
      const browser = await openLoggedInBrowser(site.issuer);
      await mongo.kill();
      const page = await browser.open(`${site.issuer}/photos`);
      expect(page.status).toBe(503);
      expect(page.text).toContain('Back in a moment');
      const token = await fetch(`${site.issuer}/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'client_credentials',
          client_id: 'roof-webcam',
          client_secret: 'roof-webcam-demo-secret',
        }),
      });
      expect([token.status, await token.json()]).toEqual([
        503,
        expect.objectContaining({ error: 'temporarily_unavailable' }),
      ]);

      await mongo.start();
      await until(async () => (await browser.open(`${site.issuer}/photos`)).status === 200);
    } finally {
      await site.close();
      await mongo.stop();
    }
  });
});

async function serviceToken(): Promise<string> {
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: 'roof-webcam',
    client_secret: 'roof-webcam-demo-secret',
    scope: 'photos:read photos:write',
  });
  const response = await fetch(`${example.issuer}/oauth/token`, { method: 'POST', body });
  return ((await response.json()) as { access_token: string }).access_token;
}
