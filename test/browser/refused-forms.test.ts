import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { BrowserContext, Page } from 'playwright-core';

import { describeInChromium, launchChromium } from '../support/chromium.js';
import { DEVICE_GRANT_TYPES } from '../support/device.js';
import { openPagesSite, PERSON, submitLogin } from '../support/pages-site.js';
import { fixture } from '../support/site-for.js';

for (const javaScriptEnabled of [true, false]) {
  const how = `JavaScript ${javaScriptEnabled ? 'on' : 'off'}`;
  describeInChromium(`Back and reload after a refused form, ${how}`, () => {
    const site = fixture(() => openPagesSite({ grantTypes: DEVICE_GRANT_TYPES }));
    const browser = fixture(launchChromium);
    let context: BrowserContext;
    let page: Page;
    let posted = 0;

    beforeEach(async () => {
      context = await browser.newContext({ javaScriptEnabled, locale: 'en', baseURL: site.url });
      page = await context.newPage();
      page.on('request', (request) => void (posted += request.method() === 'POST' ? 1 : 0));
    });
    afterEach(() => context.close());

    async function logInAt(path: string): Promise<void> {
      await page.goto(`/login?return_to=${encodeURIComponent(path)}`);
      await submitLogin(page);
      await page.waitForURL((url) => url.pathname + url.search === path);
    }
    const focused = () => page.locator(':focus').getAttribute('id');
    const pathOf = () => new URL(page.url()).pathname + new URL(page.url()).search;
    const statusAfterReload = async () => {
      // a page that is still loading may be another one by the time of the reload
      await page.waitForLoadState('networkidle');
      return (await page.reload())?.status();
    };

    /** Sends the form, and checks that it is sent only once. */
    async function sendOnce(button: string, path: string): Promise<void> {
      posted = 0;
      const [answer] = await Promise.all([
        page.waitForResponse((response) => response.request().redirectedFrom() !== null),
        page.click(button),
      ]);
      expect([answer.status(), answer.request().method(), pathOf(), posted]).toEqual([422, 'GET', path, 1]);
    }
    async function expectBackIsHarmless(first: string, form: string): Promise<void> {
      await page.goBack();
      if (pathOf() !== first) await page.goBack();
      expect(pathOf()).toBe(first);
      await page.goForward();
      await page.locator(form).waitFor();
      expect(posted).toBe(1);
    }

    test('Back and reload after a wrong password are harmless', async () => {
      await page.goto('/');
      await page.goto('/login?return_to=%2Fcallback');
      await page.fill('#username', PERSON.username);
      await page.fill('#password', 'not it');
      await sendOnce('#login-submit', '/login?return_to=%2Fcallback');
      expect(await page.locator('#login-error').getAttribute('role')).toBe('alert');
      expect(await page.inputValue('#username')).toBe(PERSON.username);
      expect(await page.inputValue('#password')).toBe('');
      expect(await focused()).toBe('password');
      expect(await page.locator('#password').getAttribute('aria-describedby')).toBe('login-error');
      expect(await statusAfterReload()).toBe(200);
      expect(await page.locator('#login-error').count()).toBe(0);
      await expectBackIsHarmless('/', '#login-form');
      await submitLogin(page);
      await page.locator('#back').waitFor();
    });

    test('Back and reload after a refused application are harmless', async () => {
      const form = '/oauth/applications/new';
      await logInAt('/');
      await page.goto(form);
      await page.fill('#application-redirect-uris', 'http://lamp.example/');
      await sendOnce('#application-submit', `${form}?kind=web`);
      expect(await page.inputValue('#application-redirect-uris')).toBe('http://lamp.example/');
      expect(await page.locator('#application-redirect-uris').getAttribute('aria-describedby')).toContain(
        'application-redirect-uris-problem',
      );
      await page.click('#problem-summary a[href="#application-name"]');
      expect(await focused()).toBe('application-name');
      // the corrected form is the same one, and makes one application
      await page.fill('#application-name', 'My lamp');
      await page.fill('#application-redirect-uris', 'https://lamp.example/');
      await page.click('#application-submit');
      await page.locator('#client-secret').waitFor();
      await page.goto('/');
      await page.goto(form);
      await page.fill('#application-redirect-uris', 'http://lamp.example/');
      await sendOnce('#application-submit', `${form}?kind=web`);
      expect(await statusAfterReload()).toBe(200);
      expect(await page.inputValue('#application-redirect-uris')).toBe('');
      await expectBackIsHarmless('/', '#application-form');
      const made = await site.database.collection('oauth_clients').countDocuments({ name: 'My lamp' });
      expect(made).toBe(1);
    });

    test('Back and reload after a wrong user code are harmless', async () => {
      await logInAt('/');
      await page.goto('/oauth/device');
      await page.fill('#user-code', 'bbbb bbbb');
      await sendOnce('#device-submit', '/oauth/device?user_code=BBBB-BBBB');
      expect(await page.inputValue('#user-code')).toBe('BBBB-BBBB');
      expect(await page.locator('#user-code').getAttribute('aria-invalid')).toBe('true');
      expect(await focused()).toBe('user-code');
      expect(await statusAfterReload()).toBe(200);
      expect(await page.locator('#user-code-problem').count()).toBe(0);
      await expectBackIsHarmless('/', '#device-form');
    });
  });
}
