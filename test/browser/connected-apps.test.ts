import { beforeAll, expect, test } from '@jest/globals';

import { expectGoodPage } from '../support/axe.js';
import { describeInChromium, launchChromium } from '../support/chromium.js';
import { fixture, siteFor } from '../support/site-for.js';

const PAGE = '/oauth/authorizations';

describeInChromium('a list of many connected apps in Chromium', () => {
  const browser = fixture(launchChromium);
  const site = siteFor({ security: { rateLimits: false } });
  beforeAll(async () => {
    for (let number = 1; number <= 30; number += 1) {
      const { clientId } = await site.client({ name: `App ${String(number)}` });
      const at = new Date(Date.UTC(2026, 0, number));
      await site.database
        .collection('oauth_consents')
        .insertOne({ userId: 'ada', clientId, scopes: ['profile'], createdAt: at, updatedAt: at });
    }
  });

  test.each(['en', 'ar'])('links sort the list of connected apps (%s)', async (locale) => {
    await using context = await browser.newContext({ baseURL: site.url, locale });
    const page = await context.newPage();
    const names = () => page.locator('#authorizations h2 a').allInnerTexts();
    await context.request.post('/login', { form: { username: 'ada', password: 'password of ada' } });
    await page.goto(PAGE);
    expect((await names())[0]).toBe('App 30');
    await page.click('#sort-name');
    expect((await names()).slice(0, 3)).toEqual(['App 1', 'App 2', 'App 3']);
    expect(await page.locator('#authorizations-sort [aria-current="true"]').getAttribute('id')).toBe(
      'sort-name',
    );
    await expectGoodPage(page, `connected-apps-${locale}`);
  });
});
