import { beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';

import { expectGoodPage } from '../support/axe.js';
import { describeInChromium, launchChromium } from '../support/chromium.js';
import { openPagesSite, requestOf, submitLogin } from '../support/pages-site.js';
import { fixture } from '../support/site-for.js';

describeInChromium('links to clients in Chromium', () => {
  const site = fixture(() =>
    openPagesSite({ registration: { open: true }, pages: { linkToUnverifiedClients: true } }),
  );
  const browser = fixture(launchChromium);
  let page: Page;

  beforeAll(async () => {
    const context = await browser.newContext({ locale: 'en' });
    page = await context.newPage();
    await page.goto(`${site.url}/login`);
    await submitLogin(page);
  });

  async function addressOf(redirectUri: string, more: Record<string, string> = {}): Promise<string> {
    const response = await fetch(`${site.url}/oauth/register`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        client_name: 'Prints',
        redirect_uris: [redirectUri],
        client_uri: 'https://print.example/',
        policy_uri: 'https://print.example/privacy',
        tos_uri: 'https://print.example/terms',
      }),
    });
    const { client_id: clientId } = (await response.json()) as { client_id: string };
    return requestOf(site, clientId, more);
  }

  test('the consent page links the pages of the client, reachable by keyboard', async () => {
    await page.goto(await addressOf('https://print.example/callback'));
    await page.waitForSelector('#client-links');
    // the first link is the site's name
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    expect(await page.locator('#client-links a').first().getAttribute('href')).toBe('https://print.example/');
    expect(await page.locator('#client-links a:focus').count()).toBe(1);
    await expectGoodPage(page, 'consent-client-links');
  });

  test('a denial shows a page of the site with a link to the client', async () => {
    await page.goto(await addressOf('https://print.example/callback'));
    await page.click('#consent-deny');
    await page.waitForSelector('#error-client');
    expect(new URL(page.url()).origin).toBe(site.url);
    await expectGoodPage(page, 'denied-link');
    expect(await page.locator('#error-client').getAttribute('href')).toContain(
      'https://print.example/callback?error=access_denied',
    );
  });

  test('an error shows a page of the site with a link to the client, also in Arabic', async () => {
    await page.goto(
      await addressOf('https://print.example/callback', { scope: 'everything', ui_locales: 'ar' }),
    );
    await page.waitForSelector('#error-client');
    expect(await page.locator('html').getAttribute('dir')).toBe('rtl');
    await expectGoodPage(page, 'error-link-ar');
  });
});
