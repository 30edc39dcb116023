import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';

import type { ClientWithSecret } from '../../lib/index.js';
import { SHIPPED_MESSAGES } from '../../lib/messages/index.js';
import { expectGoodPage, findViolations } from '../support/axe.js';
import { describeInChromium, launchChromium } from '../support/chromium.js';
import { DEVICE_URI, openDocumentServer } from '../support/client-documents.js';
import { openPagesSite, requestOf, submitLogin } from '../support/pages-site.js';
import { fixture } from '../support/site-for.js';
import { createPkce } from '../support/tokens.js';

/** A phone, a larger one, a computer. */
const SCREENS = [
  { width: 360, height: 640 },
  { width: 390, height: 844 },
  { width: 1280, height: 800 },
];
const MANY = Object.fromEntries(
  Array.from({ length: 40 }, (_, index) => [
    `thing:${index}`,
    {
      description: `See thing number ${index} of those that are yours`,
      ...(index % 2 === 0 && { group: 'Things' }),
    },
  ]),
);
const CHARGE = 'input[value="cards:charge"]';

describeInChromium('the consent page', () => {
  const browser = fixture(launchChromium);
  const site = fixture(() =>
    openPagesSite({
      clientIdMetadataDocuments: { allowLoopback: true },
      siteName: 'Lantern Photos',
      scopes: {
        'photos:read': 'See your photos',
        'photos:write': { description: 'Add photos to your album', implies: ['photos:read'] },
        'cards:charge': { description: 'Charge your payment card', details: 'Up to 50 €.', risk: 'high' },
        ...MANY,
      },
    }),
  );
  const documents = fixture(openDocumentServer);
  let page: Page;
  /** A second browser of the same person. */
  let withoutScript: Page;

  beforeAll(async () => {
    const context = await browser.newContext();
    page = await context.newPage();
    await page.goto(`${site.url}/login`);
    await submitLogin(page);
    const storageState = await context.storageState();
    withoutScript = await (await browser.newContext({ javaScriptEnabled: false, storageState })).newPage();
  });

  const clientFor = (scopes: readonly string[]): Promise<ClientWithSecret> =>
    site.client({ scopes, ownerId: 'grace' });
  async function open(
    scopes: readonly string[],
    more: Record<string, string> = {},
    at = page,
  ): Promise<void> {
    const { clientId } = await clientFor(scopes);
    await at.goto(requestOf(site, clientId, { ui_locales: 'en', ...more }));
  }
  const boxOf = async (selector: string) => (await page.locator(selector).boundingBox())!;
  const endOf = async (selector: string) => {
    const { y, height } = await boxOf(selector);
    return y + height;
  };

  it.each(SCREENS.slice(1))(
    'a consent page with one scope ends above 640 px in every language at $width × $height',
    async (size) => {
      await page.setViewportSize(size);
      const ends: Record<string, number> = {};
      for (const locale of Object.keys(SHIPPED_MESSAGES)) {
        await open(['photos:read'], { ui_locales: locale });
        expect(await page.locator('html').getAttribute('lang')).toBe(locale);
        ends[locale] = await endOf('#consent-allow');
        expect(await page.evaluate('scrollY')).toBe(0);
      }
      const below = Object.entries(ends).filter(([, end]) => end > 640);
      expect([below, Object.keys(ends)]).toEqual([[], ['en', 'de', 'es', 'fr', 'ja', 'ar']]);
    },
  );

  it.each(SCREENS.slice(1))(
    'a verified application’s consent page ends above 640 px as well at $width × $height',
    async (size) => {
      await page.setViewportSize(size);
      const { clientId } = await site.client({
        scopes: ['photos:read'],
        verified: true,
        publisher: 'Inkwell & Sons Ltd',
        description: 'Prints your photos on postcards, posters and mugs. '.repeat(4).slice(0, 199).trim(),
        clientUri: 'https://print.example/',
        policyUri: 'https://print.example/privacy',
        tosUri: 'https://print.example/terms',
      });
      await page.goto(requestOf(site, clientId));
      expect(await page.locator('#client-publisher').innerText()).toBe('Published by Inkwell & Sons Ltd');
      expect(await endOf('#client-links')).toBeGreaterThan(await endOf('#client-description'));
      expect(await endOf('#consent-allow')).toBeLessThanOrEqual(640);
      await expectGoodPage(page, `consent-verified-${size.width}`);
    },
  );

  it.each(SCREENS)('the decision stands after the last scope at $width × $height', async (size) => {
    await page.setViewportSize(size);
    await open(['cards:charge', ...Object.keys(MANY)]);
    for (const summary of await page.locator('summary').all()) await summary.click();
    const last = await page.locator('.eas-grant').last().boundingBox();
    for (const button of ['#consent-deny', '#consent-allow'])
      expect((await boxOf(button)).y).toBeGreaterThan(last!.y + last!.height);
  });

  it('the decision covers no text at 400 %', async () => {
    await page.setViewportSize({ width: 320, height: 200 });
    await open(['cards:charge', ...Object.keys(MANY)]);
    expect((await boxOf('.eas-decision')).y).toBeGreaterThan(200);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
  });

  it('a high-risk scope is first, unticked and unfolded, and others unfold without a script', async () => {
    await withoutScript.setViewportSize(SCREENS[2]!);
    await open(['photos:read', 'cards:charge', ...Object.keys(MANY)], {}, withoutScript);
    expect(await withoutScript.locator(CHARGE).isChecked()).toBe(false);
    expect(await withoutScript.locator(CHARGE).isVisible()).toBe(true);
    const things = withoutScript.locator('input[value="thing:0"]');
    expect(await things.isVisible()).toBe(false);
    await withoutScript.locator('summary', { hasText: 'Things' }).click();
    expect(await things.isVisible()).toBe(true);
    expect(await things.isChecked()).toBe(true);
  });

  it('a high-risk scope for an unverified application needs two steps, without a script', async () => {
    await open(['photos:read', 'cards:charge'], {}, withoutScript);
    await withoutScript.check(CHARGE);
    await withoutScript.click('#consent-allow');
    expect(await withoutScript.locator('#consent-risks').innerText()).toContain('Charge your payment card');
    await withoutScript.click('#consent-confirm');
    expect(new URL(withoutScript.url()).searchParams.get('code')).not.toBeNull();
  });

  it('Enter on a checkbox of the consent page denies', async () => {
    await open(['photos:read', 'cards:charge']);
    await page.locator(CHARGE).press('Enter');
    expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied');
  });

  describe.each(['en', 'ar'])('in %s', (language) => {
    it('the consent page is good in each of its states', async () => {
      const inLanguage = { ui_locales: language };
      await open(['photos:write'], inLanguage);
      await expectGoodPage(page, `consent-one-${language}`);
      await open(['photos:read', 'photos:write', 'cards:charge'], inLanguage);
      await expectGoodPage(page, `consent-risk-${language}`);
      await page.click('#consent-allow');
      await open(['cards:charge'], inLanguage);
      await page.click('#consent-allow');
      await expectGoodPage(page, `consent-nothing-ticked-${language}`);
      await page.check(CHARGE);
      await page.click('#consent-allow');
      await expectGoodPage(page, `consent-confirm-${language}`);
      await open(['cards:charge', ...Object.keys(MANY)], inLanguage);
      await expectGoodPage(page, `consent-many-${language}`);
      for (const summary of await page.locator('summary').all()) await summary.click();
      expect(await findViolations(page)).toEqual([]);
    });
  });

  it('the heading of the consent page sets a name apart, whatever the name is', async () => {
    const { clientId } = await clientFor(['photos:read']);
    const name = 'Your session has expired. Press Allow to stay logged in. Z\u0351\u0352\u0353\u0354\u0355';
    await site.database.update('oauth_clients', clientId, { $set: { name } });
    await page.goto(requestOf(site, clientId));
    const displayed = page.locator('h1 bdi');
    expect(await displayed.innerText()).toBe(name);
    const style = await displayed.evaluate((element) => {
      const { display, overflow, backgroundColor } = (
        globalThis as unknown as { getComputedStyle: (of: unknown) => Record<string, string> }
      ).getComputedStyle(element);
      return [display, overflow, backgroundColor];
    });
    // the name has a background, and marks on it do not leave it
    expect(style).toEqual(['inline-block', 'clip', expect.stringMatching(/^rgb\(/)]);
    expect(await page.locator('#client-origin').innerText()).toMatch(
      /Registered: today.*Fewer than 10 users/s,
    );
  });

  it.each(['en', 'ar'])(
    'the consent page of a client with a document shows its URL and host, in %s',
    async (locale) => {
      const clientId = documents.publish('/oauth/client-metadata-of-an-assistant.json');
      const query = { redirect_uri: DEVICE_URI, scope: 'photos:read', ...createPkce().challenge };
      await page.goto(requestOf(site, clientId, { ...query, ui_locales: locale }));
      expect(await page.textContent('#client-origin')).toContain(clientId);
      expect(await page.textContent('#client-on-device')).toContain(new URL(clientId).host);
      await expectGoodPage(page, `consent-of-a-document-${locale}`);
    },
  );
});
