import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterEach, expect, jest, test } from '@jest/globals';
import express from 'express';

import { createShopPages } from '../../example-app/printing-shop/pages.js';
import type { PhotoSiteClient, Tokens } from '../../example-app/printing-shop/photo-site-client.js';
import { createShopSessions } from '../../example-app/printing-shop/sessions.js';
import { createHttpBrowser } from './support/http-browser.js';

let server: Server | undefined;
afterEach(() => {
  server?.close();
  jest.restoreAllMocks();
});

const TOKENS: Tokens = {
  way: 'plain',
  accessToken: 'at',
  refreshToken: 'rt',
  expiresAt: Date.now() + 3_600_000,
};

/** The shop, with a photo site that answers at once, and revokes tokens as the test wants. */
async function openShop(revoke: PhotoSiteClient['revoke']): Promise<string> {
  const app = express();
  app.set('views', 'example-app/views/printing-shop').set('view engine', 'ejs');
  server = createServer(app).listen(0, '127.0.0.1');
  await new Promise((resolve) => server!.once('listening', resolve));
  const shopUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const photoSite: PhotoSiteClient = {
    startAuthorization: () =>
      Promise.resolve({
        url: new URL('/callback?code=c&state=s', shopUrl),
        pending: { way: 'plain', state: 's', codeVerifier: 'v' },
      }),
    finishAuthorization: () => Promise.resolve(TOKENS),
    refresh: () => Promise.reject(new Error('not needed here')),
    revoke,
    fetch: (url) =>
      Promise.resolve(Response.json(url.pathname === '/api/me' ? { user: { name: 'Ada' } } : [])),
  };
  app.use(createShopSessions(), createShopPages({ photoSite, ways: ['plain'], issuer: shopUrl, shopUrl }));
  return shopUrl;
}

test('the printing shop revokes the refresh token of a visitor who wants to be forgotten', async () => {
  const given: Tokens[] = [];
  const shopUrl = await openShop((tokens) => Promise.resolve(void given.push(tokens)));
  const browser = createHttpBrowser();
  const prints = await browser.submit(await browser.open(shopUrl), 'print-form');
  expect((await browser.submit(prints, 'forget-form')).text).toContain('given our key back');
  expect(given).toEqual([TOKENS]);
});

test('the printing shop forgets a visitor even if the revocation fails, and says what is left', async () => {
  const said = jest.spyOn(console, 'error').mockImplementation(() => undefined);
  const shopUrl = await openShop(() => Promise.reject(new Error('connect ECONNREFUSED')));
  const browser = createHttpBrowser();
  const prints = await browser.submit(await browser.open(shopUrl), 'print-form');
  expect(prints.text).toContain('Prints for Ada');
  const forgotten = await browser.submit(prints, 'forget-form');
  expect([forgotten.status, forgotten.url.pathname]).toEqual([200, '/forgotten']);
  expect(forgotten.text).toContain('Please end our access yourself');
  expect(forgotten.text).toContain(`${shopUrl}/oauth/authorizations`);
  expect(forgotten.text).not.toContain('given our key back');
  expect(String(said.mock.calls)).not.toMatch(/\b(at|rt)\b/);
  expect((await browser.open(`${shopUrl}/prints`)).url.pathname).toBe('/');
});

test('the printing shop has nothing to revoke for a visitor without tokens', async () => {
  const revoke = jest.fn(() => Promise.resolve());
  const shopUrl = await openShop(revoke);
  const browser = createHttpBrowser();
  const page = await browser.open(shopUrl);
  const form = { ...page, text: '<form id="forget" action="/forget"></form>' };
  expect((await browser.submit(form, 'forget')).url.pathname).toBe('/');
  expect(revoke).not.toHaveBeenCalled();
});
