import { randomUUID } from 'node:crypto';

import { beforeEach, expect, test } from '@jest/globals';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';

import { exampleInChromium } from '../interop/support/example-in-chromium.js';
import { expectGoodPage } from '../support/axe.js';
import { describeInChromium } from '../support/chromium.js';
import { runCli } from '../support/cli.js';
import { databaseUri } from '../support/database.js';
import { requestOf, submitLogin } from '../support/pages-site.js';

describeInChromium('the sites of the example in Chromium', () => {
  const { example, browser } = exampleInChromium();
  let context: BrowserContext;
  let page: Page;

  beforeEach(() => openContext());

  async function openContext(options: BrowserContextOptions = {}): Promise<void> {
    await context?.close();
    context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    page = await context.newPage();
  }
  const logIn = async () => {
    await submitLogin(page, { username: 'ada', password: 'correct-horse-battery' });
  };

  const command = async (text: string): Promise<string> => {
    const input = 'a very long password\n';
    const { code, stdout, stderr } = await runCli(text, { uri: databaseUri(example.database), input });
    if (code !== 0) throw new Error(stderr);
    return stdout;
  };
  const statusOf = async (token: string) =>
    (await fetch(`${example.issuer}/api/photos`, { headers: { authorization: `Bearer ${token}` } })).status;

  async function openAccount(username: string) {
    const created = await command(`users create --username ${username} --password-stdin --json`);
    const { id } = JSON.parse(created) as { id: string };
    const registered = await command(
      'clients create --name "Albums of Maria" --type public --redirect-uri http://localhost/ --json',
    );
    const { clientId } = JSON.parse(registered) as { clientId: string };
    await command(`clients add-owner ${clientId} ${id}`);
    const create = `access-tokens create --user ${id} --name Backup --scope photos:read --json`;
    const made = JSON.parse(await command(create)) as { token: string };
    return { clientId, token: made.token };
  }

  test('"Delete my account" needs the password and leaves nothing of the account', async () => {
    const username = `maria-${randomUUID()}`;
    const { clientId, token } = await openAccount(username);
    await page.goto(`${example.issuer}/login?return_to=/account`);
    await submitLogin(page, { username, password: 'a very long password' });
    await expectGoodPage(page, 'photo-site-account');
    expect(await page.locator('main').innerText()).toContain('are blocked: 1');
    await page.fill('#password', 'another password');
    await page.click('#delete-submit');
    expect(await page.locator('#problem').innerText()).toBe(
      'This is not your password. Nothing was deleted.',
    );
    await expectGoodPage(page, 'photo-site-account-refused');
    expect(await statusOf(token)).toBe(200);

    await page.fill('#password', 'a very long password');
    await page.click('#delete-submit');
    await page.waitForURL(`${example.issuer}/goodbye`);
    await expectGoodPage(page, 'photo-site-goodbye');
    expect(await page.locator('#log-in').count()).toBe(1);
    expect(await statusOf(token)).toBe(401);
    expect(await command(`clients show ${clientId}`)).toContain('blocked');
    await page.goto(`${example.issuer}/account`);
    await submitLogin(page, { username, password: 'a very long password' });
    expect(new URL(page.url()).pathname).toBe('/login');
  });

  test('the pages of the shop are good, Back after "Allow" is harmless, "Forget" asks again', async () => {
    await page.goto(example.shopUrl);
    await expectGoodPage(page, 'shop-home');
    await page.click('#print-submit');
    await logIn();
    await page.click('#consent-allow');
    await page.waitForURL(`${example.shopUrl}/prints`);
    await expectGoodPage(page, 'shop-prints');

    await page.goBack();
    await page.waitForURL(`${example.shopUrl}/prints`);
    expect(await page.locator('h1').innerText()).toBe('Prints for Ada Lovelace');

    await page.click('#forget-submit');
    await page.waitForURL(`${example.shopUrl}/forgotten`);
    await expectGoodPage(page, 'shop-forgotten');
    await page.click('#print-submit');
    await page.click('#consent-deny');
    await page.locator('#message').waitFor();
    expect(await page.locator('h1').innerText()).toBe('No photos, no hard feelings');
    await expectGoodPage(page, 'shop-denied');
    await page.goto(`${example.shopUrl}/nothing`);
    await expectGoodPage(page, 'shop-404');

    await page.goto(example.shopUrl);
    await page.click('#sign-in');
    await page.click('#consent-allow');
    await page.locator('#account-name').waitFor();
    await expectGoodPage(page, 'shop-signed-in');
    await page.click('#way-submit');
    await page.locator('#way-fapi2').waitFor();
    await expectGoodPage(page, 'shop-home-fapi2');
    await page.click('#print-submit');
    await page.click('#consent-allow');
    await page.locator('#prints-fapi2').waitFor();
    await expectGoodPage(page, 'shop-prints-fapi2');
  });

  test('the pages of the photo site are good, also the one for 404', async () => {
    for (const [path, name] of [
      ['/', 'home'],
      ['/connect', 'connect'],
      ['/nothing', '404'],
      ['/playground/callback?code=abc&state=1', 'received'],
    ] as const) {
      await page.goto(example.issuer + path);
      await expectGoodPage(page, `photo-site-${name}`);
    }
  });

  test.each([390, 1280])(
    'at %d pixels each page of the photo site shows a link to log out',
    async (width) => {
      await openContext({ viewport: { width, height: 844 } });
      await page.goto(`${example.issuer}/photos`);
      await logIn();
      for (const path of [
        '/',
        '/photos',
        '/connect',
        '/oauth/authorizations',
        '/oauth/applications',
        '/oauth/device',
      ]) {
        await page.goto(`${example.issuer}${path}`);
        const box = await page.getByRole('link', { name: 'Log out' }).boundingBox();
        expect([path, (box?.x ?? -1) >= 0, (box?.x ?? 0) + (box?.width ?? width + 1) <= width]).toEqual([
          path,
          true,
          true,
        ]);
      }
    },
  );

  test('the pages for login and consent have the logo and the colours of the site', async () => {
    await page.goto(example.shopUrl);
    await page.click('#print-submit');
    for (const [button, next] of [
      ['login-submit', logIn],
      ['consent-allow', undefined],
    ] as const) {
      await page.locator(`#${button}`).waitFor();
      await page.waitForLoadState();
      expect(await page.locator('img[src="/lantern.svg"]').first().isVisible()).toBe(true);
      const colour = `getComputedStyle(document.getElementById('${button}')).backgroundColor`;
      expect(await page.evaluate(colour)).toBe('rgb(75, 58, 99)');
      await next?.();
    }
  });

  test.each([
    ['en', 'See your albums', 'See your photos'],
    ['de', 'Ihre Alben sehen', 'Ihre Fotos sehen'],
    ['es', 'Ver tus álbumes', 'Ver tus fotos'],
    ['fr', 'Voir vos albums', 'Voir vos photos'],
    ['ja', 'アルバムを見る', '写真を見る'],
    ['ar', 'رؤية ألبوماتك', 'رؤية صورك'],
  ])(
    'the consent page is in the language %s, with the name of the resource',
    async (locale, requested, not) => {
      await openContext({ locale });
      const query = { scope: 'albums:read', resource: example.albumUrl, state: '42', prompt: 'consent' };
      await page.goto(requestOf({ url: example.issuer }, 'album-viewer', query));
      await logIn();
      await page.locator('#consent-form').waitFor();
      const text = await page.locator('main').innerText();
      expect(text).toContain('Lantern Albums');
      expect(text).not.toContain(new URL(example.albumUrl).host);
      expect(text).toContain(requested);
      expect(text).toContain(not);
      if (locale !== 'en') expect(text).not.toMatch(/See your|Add photos|Order your/);
      await expectGoodPage(page, `example-consent-${locale}`);
    },
  );
});
