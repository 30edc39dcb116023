import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { BrowserContext, Page } from 'playwright-core';

import type { NewClient } from '../../lib/index.js';
import { expectGoodPage } from '../support/axe.js';
import { describeInChromium, launchChromium } from '../support/chromium.js';
import { openPagesSite, requestOf, submitLogin } from '../support/pages-site.js';
import { fixture } from '../support/site-for.js';
import { closeWatched, openWatched } from '../support/watched-page.js';

describeInChromium(
  'each page at 360 and 1280 pixels, light and dark, passes axe-core and Content-Security-Policy',
  () => {
    const site = fixture(() => openPagesSite());
    const browser = fixture(launchChromium);
    let context: BrowserContext;
    let page: Page;

    beforeEach(async () => open());
    afterEach(() => closeWatched(context));

    async function open(locale = 'en'): Promise<void> {
      await context?.close();
      ({ context, page } = await openWatched(browser, { locale }));
    }

    /** Opens an authorization request of a new client, and logs in if necessary. */
    async function authorize(
      client: Partial<NewClient> = {},
      query: Readonly<Record<string, string>> = {},
    ): Promise<string> {
      const { clientId } = await site.client(client);
      await page.goto(requestOf(site, clientId, { state: 'x', ...query }));
      if (await page.locator('#login-form').isVisible()) await submitLogin(page);
      return clientId;
    }

    test('the login page is good', async () => {
      await page.goto(`${site.url}/login`);
      await expectGoodPage(page, 'login');
      await submitLogin(page, { username: 'ada', password: 'not it' });
      await expectGoodPage(page, 'login-wrong');
    });

    test('the logout page is good', async () => {
      await page.goto(`${site.url}/login?return_to=/logout`);
      await submitLogin(page);
      await expectGoodPage(page, 'logout');
    });

    test('the first consent page is good', async () => {
      await authorize();
      await expectGoodPage(page, 'consent');
    });

    test('the consent page for additional scopes of a verified client is good', async () => {
      const clientId = await authorize({ verified: true }, { scope: 'profile photos:read' });
      await page.click('#consent-allow');
      await page.locator('#back').waitFor();
      await page.goto(requestOf(site, clientId, { scope: 'profile photos:read photos:write' }));
      await expectGoodPage(page, 'consent-more');
    });

    test('the consent page without scopes is good', async () => {
      await authorize({ scopes: [] });
      await expectGoodPage(page, 'consent-identity');
    });

    test('the pages to choose an account and to log in again are good', async () => {
      await page.goto(`${site.url}/login`);
      await submitLogin(page);
      await authorize({}, { prompt: 'select_account' });
      await expectGoodPage(page, 'account');
      await authorize({}, { prompt: 'login' });
      await expectGoodPage(page, 'account-again');
    });

    test('the error pages are good', async () => {
      await page.goto(`${site.url}/oauth/authorize?client_id=nobody`);
      // open on loopback, where only developers are
      await expectGoodPage(page, 'error-details');
      await page.click('#error-details summary');
      await expectGoodPage(page, 'error');
      await page.goto(`${site.url}/login?return_to=/oauth/applications/none`);
      await submitLogin(page);
      await expectGoodPage(page, 'error-not-found');
    });

    test.each(['ar', 'de', 'ja'])('the login, consent and error pages are good in %s', async (locale) => {
      await open(locale);
      await page.goto(`${site.url}/login`);
      expect(await page.locator('html').getAttribute('lang')).toBe(locale);
      await expectGoodPage(page, `${locale}-login`);
      await submitLogin(page);
      await authorize();
      await expectGoodPage(page, `${locale}-consent`);
      await page.goto(`${site.url}/oauth/authorize?client_id=nobody`);
      await expectGoodPage(page, `${locale}-error`);
    });
  },
);

describeInChromium('a site with other colours and a logo', () => {
  test('the pages with a site’s colours and logo are good', async () => {
    const [site, browser] = await Promise.all([
      openPagesSite({
        pages: {
          colors: {
            accent: '#0b6e4f',
            page: { light: '#f3f1ea', dark: '#12100c' },
            surface: { light: '#fffdf8', dark: '#1e1b15' },
          },
          logo: '/logo.svg',
        },
      }),
      launchChromium(),
    ]);
    const page = await browser.newPage();
    await page.route('**/logo.svg', (route) =>
      route.fulfill({
        contentType: 'image/svg+xml',
        body: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 28 28"><circle cx="14" cy="14" r="13" fill="#e0a100"/></svg>',
      }),
    );
    await page.goto(`${site.url}/login`);
    await expectGoodPage(page, 'theme-login');
    await page.goto(`${site.url}/oauth/authorize?client_id=nobody`);
    await expectGoodPage(page, 'theme-error');
    await browser.close();
    await site.close();
  });
});
