import { beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';

import { SHIPPED_MESSAGES } from '../../lib/messages/index.js';
import { ACCOUNTS, DETAIL_TYPES, IDENTITY, PAYMENT, TRANSFER } from '../support/authorization-details.js';
import { expectGoodPage, findViolations } from '../support/axe.js';
import { describeInChromium, launchChromium } from '../support/chromium.js';
import { DEVICE_URI, openDocumentServer } from '../support/client-documents.js';
import { DEVICE_CODE, DEVICE_GRANT_TYPES } from '../support/device.js';
import { openPagesSite, requestOf, submitLogin } from '../support/pages-site.js';
import { fixture } from '../support/site-for.js';
import { createPkce } from '../support/tokens.js';

const SIZES = [
  { width: 360, height: 640 },
  { width: 390, height: 844 },
  { width: 1280, height: 800 },
];
const KINDS = ['unverified', 'verified', 'self-described', 'device'] as const;
/** Inputs of the form that stand below the Allow button. */
const NOT_ABOVE_ALLOW = `(() => {
  const { top } = document.querySelector('#consent-allow').getBoundingClientRect();
  return [...document.querySelectorAll('.eas-consent :is(input:not([type=hidden]), select, .eas-grant)')]
    .filter((element) => element.getBoundingClientRect().bottom > top)
    .map((element) => element.id || element.textContent.trim());
})()`;

const many = Array.from({ length: 12 }, (_each, index) => ({
  value: `c${index}`,
  label: `Calendar ${index}`,
}));

describeInChromium('the consent page with details and choices', () => {
  const browser = fixture(launchChromium);
  const site = fixture(() =>
    openPagesSite({
      siteName: 'Lantern Photos',
      clientIdMetadataDocuments: { allowLoopback: true },
      grantTypes: DEVICE_GRANT_TYPES,
      scopes: { 'photos:read': 'See your photos' },
      authorizationDetails: DETAIL_TYPES,
      choices: {
        album: {
          label: { en: 'Which album?', ar: 'أي ألبوم؟' },
          details: 'It sees none of the others.',
          scopes: ['photos:read'],
          list: () => [
            { value: 'a1', label: 'Holidays', details: '214 photos' },
            { value: 'a2', label: 'عائلة' },
            {
              value: 'a3',
              label:
                'A very long title of an album that somebody has given without thinking of small screens',
            },
          ],
        },
        people: { label: 'Which people?', multiple: true, list: () => many.slice(0, 2) },
        calendar: { label: 'Which calendar?', list: () => many },
        maxAmount: { label: 'At most how many prints?', number: { min: 1, max: 50, default: 10 } },
        expiresIn: { lifetime: [3600, 86_400, 2_592_000] },
      },
    }),
  );
  let page: Page;
  /** A second browser of the same person. */
  let withoutScript: Page;
  let clientId: string;
  const documents = fixture(openDocumentServer);

  beforeAll(async () => {
    ({ clientId } = await site.client({ scopes: ['photos:read'], ownerId: 'grace' }));
    const context = await browser.newContext();
    page = await context.newPage();
    await page.goto(`${site.url}/login`);
    await submitLogin(page);
    const storageState = await context.storageState();
    withoutScript = await (await browser.newContext({ javaScriptEnabled: false, storageState })).newPage();
  });

  const open = (details: readonly object[], more: Record<string, string> = {}, at = page) => {
    const query = { scope: 'photos:read', ui_locales: 'en', authorization_details: JSON.stringify(details) };
    return at.goto(requestOf(site, clientId, { ...query, ...more }));
  };

  it('the consent page with details and choices is good, also from right to left', async () => {
    await open([PAYMENT, ACCOUNTS, TRANSFER, IDENTITY]);
    await expectGoodPage(page, 'consent-that-binds');
    await open([PAYMENT], { ui_locales: 'ar' });
    await expectGoodPage(page, 'consent-that-binds-ar');
  });

  /** The address of a request that uses everything on the page, for a kind of client. */
  async function addressFor(kind: (typeof KINDS)[number]): Promise<string> {
    const scopes = ['photos:read'];
    if (kind === 'device') {
      const client = await site.client({
        scopes,
        type: 'public',
        redirectUris: [],
        grantTypes: [DEVICE_CODE],
      });
      const response = await fetch(`${site.url}/oauth/device_authorization`, {
        method: 'POST',
        body: new URLSearchParams({ client_id: client.clientId, scope: 'photos:read' }),
      });
      const { verification_uri_complete: address } = (await response.json()) as Record<string, string>;
      await page.goto(address!);
      await page.click('#device-submit');
      return page.url();
    }
    const query = {
      scope: 'photos:read',
      authorization_details: JSON.stringify([PAYMENT, ACCOUNTS, TRANSFER, IDENTITY]),
    };
    if (kind === 'verified') {
      const described = { publisher: 'Inkwell & Sons Ltd', description: 'Prints. '.repeat(20) };
      const client = await site.client({ scopes, verified: true, ...described });
      return requestOf(site, client.clientId, query);
    }
    if (kind === 'unverified') return requestOf(site, clientId, query);
    const document = documents.publish('/oauth/client-metadata.json', { scope: 'photos:read' });
    return requestOf(site, document, { ...query, redirect_uri: DEVICE_URI, ...createPkce().challenge });
  }

  it.each(KINDS)('no question stands below the Allow button for a client of the kind %s', async (kind) => {
    const address = await addressFor(kind);
    const below: unknown[] = [];
    for (const locale of Object.keys(SHIPPED_MESSAGES)) {
      await page.goto(`${address}&ui_locales=${locale}`);
      expect(await page.locator('html').getAttribute('lang')).toBe(locale);
      expect(await page.locator('#choice-album').count()).toBe(1);
      for (const size of SIZES) {
        await page.setViewportSize(size);
        for (const selector of ['h1', '#consent-allow']) {
          await page.locator(selector).scrollIntoViewIfNeeded();
          below.push(...(await page.evaluate<unknown[]>(NOT_ABOVE_ALLOW)));
        }
      }
    }
    expect(below).toEqual([]);
  });

  it('the consent page shows missing inputs and retains the others', async () => {
    await open([ACCOUNTS, PAYMENT]);
    await page.uncheck('input[name="detail"][value="1"]');
    // a browser would not send the form; if another one does, the page says what is missing
    await page.locator('#consent-form').evaluate((form) => form.setAttribute('novalidate', ''));
    await page.click('#consent-allow');
    expect(await page.title()).toContain('Error');
    expect(await page.locator('#choice-album-problem').textContent()).toContain(
      'Please choose one of these.',
    );
    expect(await page.locator('input[name="detail"][value="1"]').isChecked()).toBe(false);
    expect(await findViolations(page)).toEqual([]);
  });

  it('the consent page with choices works without a script by keyboard', async () => {
    const at = withoutScript;
    await open([ACCOUNTS], {}, at);
    await at.focus('#choice-album-0');
    await at.keyboard.press('Space');
    await at.focus('#choice-people-1');
    await at.keyboard.press('Space');
    await at.selectOption('#choice-calendar', 'c11');
    await at.focus('#choice-expiresIn-0');
    await at.keyboard.press('ArrowDown');
    await at.focus('#consent-allow');
    await at.keyboard.press('Enter');
    await at.waitForURL(/\/callback\?code=/);
    const grant = await site.database.collection('oauth_grants').findOne({ clientId });
    expect(grant?.authorization).toMatchObject({
      authorizationDetails: [ACCOUNTS],
      choices: { album: 'a1', people: ['c1'], calendar: 'c11', maxAmount: 10, expiresIn: 86_400 },
    });
  });

  it('the page of a connected app changes choices, also without a script', async () => {
    const at = withoutScript;
    const address = `${site.url}/oauth/authorizations/${clientId}`;
    await page.goto(address);
    await expectGoodPage(page, 'connected-app-choices');
    await at.goto(address);
    await at.check('#choice-album-1');
    await at.click('#rebind-album-save');
    expect(await at.locator('#choice-album-1').isChecked()).toBe(true);
    expect(await at.locator('#authorization-note').textContent()).toContain('Inkwell Printing Shop');
    await at.fill('#choice-maxAmount', '5');
    await at.click('#rebind-maxAmount-save');
    const consent = await site.database.collection('oauth_consents').findOne({ clientId });
    expect(consent?.choices).toMatchObject({ album: 'a2', maxAmount: 5 });
    // if a browser sends the form, the page says what is wrong
    await page.goto(address);
    await page.locator('#rebind-maxAmount').evaluate((form) => form.setAttribute('novalidate', ''));
    await page.fill('#choice-maxAmount', '6');
    await page.click('#rebind-maxAmount-save');
    expect(await page.title()).toContain('Error');
    expect(await page.locator('#choice-maxAmount-problem').textContent()).toContain('from 1 to 5');
    expect(await findViolations(page)).toEqual([]);
    await page.goto(`${address}?ui_locales=ar`);
    await expectGoodPage(page, 'connected-app-choices-ar');
  });
});
