import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { BrowserContext, Page } from 'playwright-core';

import { carryValue } from '../../lib/core/http/carried-text.js';
import { expectGoodPage } from '../support/axe.js';
import { describeInChromium, launchChromium, type TestBrowser } from '../support/chromium.js';
import { connectDevice, deviceClient, openDeviceSite, PAGE, poll, startDevice } from '../support/device.js';
import { submitLogin } from '../support/pages-site.js';
import { fixture } from '../support/site-for.js';
import { callApi, obtainTokens } from '../support/tokens.js';
import { closeWatched, openWatched, tabTo } from '../support/watched-page.js';

const AUTHORIZATIONS = '/oauth/authorizations';
/** The login page of the host. */
const LOGIN =
  '<!doctype html><form method="post"><input id="username" name="username"><input id="password" name="password" type="password"><button id="login-submit">Log in</button></form>';

describeInChromium('devices and connected apps in Chromium', () => {
  const site = fixture(() =>
    openDeviceSite({
      security: { rateLimits: false },
      siteName: 'Lantern Photos',
      pages: { onReport: () => undefined },
      audit: { ttl: 86_400 },
      before: (app) => app.get('/login', (_req, res) => res.send(LOGIN)),
    }),
  );
  const browser = fixture(launchChromium);
  let context: BrowserContext;
  let page: Page;

  const frame = fixture(() => deviceClient(site, { name: 'Picture frame in the kitchen' }));
  beforeEach(async () => {
    await site.oauth.grants.revoke({ userId: 'ada' });
  });
  afterEach(() => closeWatched(context));

  async function open(options: Parameters<TestBrowser['newContext']>[0] = {}): Promise<void> {
    const viewport = { width: 360, height: 740 };
    ({ context, page } = await openWatched(browser, { viewport, baseURL: site.url, ...options }));
  }
  const timeIn = (timeZone: string, date: Date) =>
    new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone }).format(date);

  async function logIn(): Promise<void> {
    await submitLogin(page, { username: 'ada', password: 'password of ada' });
  }

  /** Sends a report after the login has ended in another tab. */
  async function endLogin(report: string): Promise<void> {
    await page.fill('#report-text', report);
    await context.clearCookies();
    await page.click('#report-send');
    expect(await page.inputValue('#logged-out-form [name="report"]')).toBe(carryValue(report));
  }

  for (const javaScriptEnabled of [true, false]) {
    const how = `JavaScript ${javaScriptEnabled ? 'on' : 'off'}`;

    test(`a person connects a device by code and finds it among the connected apps, ${how}`, async () => {
      await open({ javaScriptEnabled, timezoneId: 'Asia/Kathmandu' });
      const device = await startDevice(site, frame, { scope: 'photos:read photos:write' });
      await page.goto(device.verification_uri);
      await logIn();
      await page.fill('#user-code', ` ${device.user_code.toLowerCase().replace('-', '')} `);
      await page.click('#device-submit');
      const terms = await page.locator('main').innerText();
      expect(terms).toContain('You are connecting a device');
      expect(terms).toContain(device.user_code);
      expect(terms).toContain('Picture frame in the kitchen');
      await page.uncheck('input[value="photos:write"]');
      await page.click('#consent-allow');
      expect(await page.locator('main').innerText()).toContain('You can go back to it now');
      const tokens = await poll(site, frame, device).expect(200);
      expect(tokens.body.scope).toBe('photos:read');

      await page.click('#device-allowed a');
      expect(new URL(page.url()).pathname).toBe(AUTHORIZATIONS);
      expect(await page.locator('#authorizations').innerText()).toContain('Picture frame in the kitchen');
      // in the time zone of the reader; the server does not know that zone and uses its own
      const moment = page.locator('time[data-moment]').first();
      const date = new Date((await moment.getAttribute('datetime')) ?? '');
      expect(await moment.innerText()).toBe(
        javaScriptEnabled ? timeIn('Asia/Kathmandu', date) : `${timeIn('UTC', date)} UTC`,
      );
      await page.click('#revoke-0');
      expect((await callApi(site, tokens.body.access_token)).status).toBe(200);
      await page.click('#revoke-0-confirm');
      expect(await page.getByRole('status').innerText()).toContain('disconnected');
      expect((await callApi(site, tokens.body.access_token)).status).toBe(401);
    });

    // behaviour without our scripts
    if (javaScriptEnabled) continue;
    test('the complete address of a device works by keyboard, JavaScript off', async () => {
      await open({ javaScriptEnabled });
      const device = await startDevice(site, frame);
      await page.goto(device.verification_uri_complete);
      await logIn();
      expect(await page.inputValue('#user-code')).toBe(device.user_code);
      await tabTo(page, page.locator('#device-submit'));
      await page.keyboard.press('Enter');
      await page.locator('#consent-form').waitFor();
      await tabTo(page, page.locator('#consent-deny'));
      await page.keyboard.press('Enter');
      await page.locator('#device-denied').waitFor();
      expect(await page.locator('main').innerText()).toContain('Nothing was connected');
      expect((await poll(site, frame, device)).body.error).toBe('access_denied');
    });

    test('one button disconnects all apps, JavaScript off', async () => {
      await open({ javaScriptEnabled });
      const { access_token: token } = await connectDevice(site, frame);
      await page.goto(AUTHORIZATIONS);
      await logIn();
      expect(await page.locator('#revoke-all-confirm').isVisible()).toBe(false);
      await page.click('#revoke-all');
      await page.click('#revoke-all-confirm');
      expect(await page.locator('main').innerText()).toContain('No connected apps');
      expect((await callApi(site, token)).status).toBe(401);
    });
  }

  test('Back and reload after the decision show the decision, and no warning of the browser', async () => {
    await open();
    const device = await startDevice(site, frame);
    await page.goto(device.verification_uri_complete);
    await logIn();
    await page.click('#device-submit');
    await page.waitForSelector('#consent-form');
    await page.reload();
    await page.click('#consent-allow');
    await page.waitForSelector('#device-allowed');
    await page.reload();
    expect(await page.locator('main').innerText()).toContain('Your device is connected');
    await page.goBack();
    if (await page.locator('#device-form').isVisible()) await page.click('#device-submit');
    await page.waitForSelector('#device-allowed');
    expect(await page.locator('main').innerText()).toContain('Your device is connected');
    await poll(site, frame, device).expect(200);
  });

  test.each(['ar', 'de'])('every page of a device is good in %s', async (locale) => {
    await open({ locale });
    await page.goto(PAGE);
    await logIn();
    expect(await page.locator('html').getAttribute('lang')).toBe(locale);
    await expectGoodPage(page, `${locale}-device`);
    await page.fill('#user-code', 'BBBB-BBBB');
    await page.click('#device-submit');
    await expectGoodPage(page, `${locale}-device-wrong`);
    const device = await startDevice(site, frame, { scope: 'photos:read photos:write' });
    await page.goto(device.verification_uri_complete);
    await expectGoodPage(page, `${locale}-device-from-link`);
    await page.click('#device-submit');
    await expectGoodPage(page, `${locale}-device-consent`);
    await page.click('#consent-allow');
    await expectGoodPage(page, `${locale}-device-allowed`);
    await poll(site, frame, device).expect(200);
    await obtainTokens(site, await site.client({ name: 'استوديو الصور' }));
    await obtainTokens(site, await site.client({ name: 'Lab', trusted: true, scopes: [] }));
    await page.goto(AUTHORIZATIONS);
    await page.click('#revoke-0');
    await page.click('#revoke-all');
    await expectGoodPage(page, `${locale}-authorizations`);
    await page.click('#authorization-1');
    await page.click('#revoke');
    await expectGoodPage(page, `${locale}-authorization`);
    await endLogin('It pretends to be the site.');
    await expectGoodPage(page, `${locale}-logged-out-form`);
  });

  test('every page of a device is good, in both widths and colour schemes', async () => {
    await open();
    const look = (name: string) => expectGoodPage(page, name);
    const device = await startDevice(site, frame, { scope: 'photos:read photos:write' });
    await page.goto(AUTHORIZATIONS);
    await logIn();
    await look('authorizations-empty');
    await page.goto(PAGE);
    await look('device');
    await page.fill('#user-code', 'BBBB-BBBB');
    await page.click('#device-submit');
    await look('device-wrong');
    await page.goto(device.verification_uri_complete);
    await look('device-from-link');
    await page.click('#device-submit');
    await look('device-consent');
    await page.click('#consent-allow');
    await look('device-allowed');
    await poll(site, frame, device).expect(200);
    await page.goto((await startDevice(site, frame)).verification_uri_complete);
    await page.click('#device-submit');
    await page.click('#consent-deny');
    await look('device-denied');
    await obtainTokens(
      site,
      await site.client({
        name: 'An application with a name that is a good deal longer than the ones that people usually think of',
      }),
    );
    await obtainTokens(site, await site.client({ name: 'Lab', trusted: true, scopes: [] }));
    await page.goto(AUTHORIZATIONS);
    await page.click('#revoke-0');
    await page.click('#revoke-all');
    await look('authorizations');
    await page.click('#authorization-1');
    await page.click('#revoke');
    await look('authorization');
    await page.fill('#report-text', ' ');
    await page.click('#report-send');
    // The browser sets the focus a moment after the page has been loaded.
    await page.waitForFunction(`document.activeElement?.id === 'report-text'`);
    await look('authorization-report-refused');
    await endLogin('It pretends to be the site.');
    await look('logged-out-form');
  });
});
