import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { BrowserContext, Page } from 'playwright-core';

import { type RunningExample, startExample } from '../interop/support/example.js';
import { describeInChromium, launchChromium, type TestBrowser } from '../support/chromium.js';
import { createPkce } from '../support/tokens.js';

/** No page of ours needs a script: all of this runs with JavaScript on and off. */
for (const javaScriptEnabled of [true, false]) {
  describeInChromium(`a person in Chromium, JavaScript ${javaScriptEnabled ? 'on' : 'off'}`, () => {
    let example: RunningExample;
    let browser: TestBrowser;
    let context: BrowserContext;
    let page: Page;
    const complaints: string[] = [];

    beforeAll(async () => {
      [example, browser] = await Promise.all([startExample(), launchChromium()]);
    });
    afterAll(async () => {
      await browser?.close();
      await example?.stop();
    });
    beforeEach(async () => {
      context = await browser.newContext({ javaScriptEnabled, viewport: { width: 360, height: 740 } });
      page = await context.newPage();
      complaints.length = 0;
      page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())));
    });
    afterEach(async () => {
      await context.close();
      // a refused stylesheet, a blocked form: Content-Security-Policy says so here
      expect(complaints.filter((text) => text.includes('Content Security Policy'))).toEqual([]);
    });

    const logIn = async (username: string, password: string) => {
      await page.fill('#username', username);
      await page.fill('#password', password);
      await page.click('#login-submit');
    };
    const logInAsAda = () => logIn('ada', 'correct-horse-battery');

    test('logs in on the way, allows, and is back at the client with what it came for', async () => {
      await page.goto(example.shopUrl);
      await page.getByRole('button', { name: 'Print my photos' }).first().click();
      await logInAsAda();
      await page.locator('#consent-form').waitFor();
      const terms = await page.locator('main').innerText();
      expect(terms).toContain('Inkwell Printing Shop');
      expect(terms).toContain('Ada Lovelace');
      await page.click('#consent-allow');
      await page.waitForURL(`${example.shopUrl}/**`);
      expect(await page.locator('main img, main svg').count()).toBeGreaterThan(0);
    });

    test('denies, and the client is told', async () => {
      const { callback, landed } = await openNativeApp(page, example, { scope: 'photos:read photos:write' });
      await logInAsAda();
      await page.click('#consent-deny');
      await page.waitForURL(`${callback}**`);
      expect(landed().searchParams.get('error')).toBe('access_denied');
      expect(landed().searchParams.get('state')).toBe('of the test');
    });

    test('unticks a scope with the keyboard alone, and the client gets the rest', async () => {
      const { callback, landed, redeem } = await openNativeApp(page, example, {
        scope: 'photos:read photos:write',
      });
      await logInAsAda();
      await page.locator('input[name=granted_scope][value="photos:write"]').focus();
      await page.keyboard.press('Space');
      await page.locator('#consent-allow').focus();
      await page.keyboard.press('Enter');
      await page.waitForURL(`${callback}**`);
      expect(await redeem(landed().searchParams.get('code') ?? '')).toMatchObject({ scope: 'photos:read' });
    });

    test('a wrong password says so without telling which half was wrong, and the request survives it', async () => {
      const { callback } = await openNativeApp(page, example, { scope: 'photos:read' });
      await logIn('ada', 'not the password');
      expect(await page.getByRole('alert').innerText()).toMatch(/user name or the password/i);
      await logInAsAda();
      await page.click('#consent-allow');
      await page.waitForURL(`${callback}**`);
    });

    test('a developer registers an application, sees its secret once, rotates it and deletes the application', async () => {
      await page.goto(`${example.issuer}/oauth/applications/new`);
      await logIn('grace', 'nanoseconds-of-wire');
      await page.fill('#application-name', 'Postcards');
      await page.fill('#application-redirect-uris', 'http://localhost:9/callback');
      await page.check('input[value="photos:read"]');
      await page.click('#application-submit');
      const secret = await page.locator('#client-secret').innerText();
      const clientId = await page.locator('#client-id').innerText();
      expect(secret).toMatch(/^eas_cs_/);
      await page.goto(`${example.issuer}/oauth/applications/${clientId.trim()}`);
      expect(await page.content()).not.toContain(secret.trim());
      await page.click('#application-rotate');
      expect(await page.locator('#client-secret').innerText()).not.toBe(secret);
      await page.click('#application-delete');
      await page.fill('#application-delete-confirmation', 'Postcards');
      await page.click('#application-delete-confirm');
      expect(await page.getByRole('status').innerText()).toContain('The application is deleted');
      await page.goto(`${example.issuer}/oauth/applications`);
      expect(await page.locator('main').innerText()).not.toContain('Postcards');
    });
  });
}

/** Asks for an authorization as a native app does, which listens on a port of its own for the answer. */
async function openNativeApp(page: Page, example: RunningExample, query: Readonly<Record<string, string>>) {
  const app = createServer((_req, res) => res.end('<p>back at the app</p>')).listen(0, '127.0.0.1');
  await once(app, 'listening');
  app.unref();
  const callback = `http://127.0.0.1:${(app.address() as AddressInfo).port}/callback`;
  const { code_verifier, challenge } = createPkce();
  const parameters = {
    response_type: 'code',
    client_id: 'pocket-photos',
    redirect_uri: callback,
    state: 'of the test',
    ...challenge,
    ...query,
  };
  await page.goto(`${example.issuer}/oauth/authorize?${new URLSearchParams(parameters).toString()}`);
  return {
    callback,
    landed: () => new URL(page.url()),
    redeem: async (code: string): Promise<unknown> => {
      const body = new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: 'pocket-photos',
        code,
        redirect_uri: callback,
        code_verifier,
      });
      return (await fetch(`${example.issuer}/oauth/token`, { method: 'POST', body })).json();
    },
  };
}
