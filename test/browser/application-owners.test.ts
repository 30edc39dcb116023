import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { BrowserContext, Page } from 'playwright-core';

import { expectGoodPage } from '../support/axe.js';
import { describeInChromium, launchChromium, type TestBrowser } from '../support/chromium.js';
import { closePagesApps, type PagesApp, passwordOf, startPagesApp } from '../support/pages-app.js';
import { submitLogin } from '../support/pages-site.js';

let app: PagesApp;
let browser: TestBrowser;
const contexts: BrowserContext[] = [];

afterEach(async () => {
  await Promise.all(contexts.splice(0).map((context) => context.close()));
});
afterAll(async () => {
  await browser?.close();
  await closePagesApps();
});

const userNamed = (username: string) => app.database.collection('oauth_users').findOne({ username });
const idOf = async (name: string) => String((await userNamed(name))?._id);

async function open(name: string, locale = 'en'): Promise<Page> {
  const context = await browser.newContext({ baseURL: app.url, locale });
  contexts.push(context);
  const page = await context.newPage();
  await page.goto('/login');
  await submitLogin(page, { username: name, password: passwordOf(name) });
  return page;
}

describeInChromium('the owners of an application in Chromium', () => {
  beforeAll(async () => {
    browser = await launchChromium();
    app = await startPagesApp({
      security: { rateLimits: false },
      people: {
        find: (id) => app.users.findById(id),
        detail: (user) => (user as unknown as { username: string }).username,
        findByName: async (text) => {
          const user = await userNamed(text.toLowerCase());
          return user && { id: String(user._id) };
        },
      },
    });
  });

  test.each(['en', 'ar'])(
    'an invited owner accepts, removes the other one and cannot leave (%s)',
    async (locale) => {
      const { clientId } = await app.clients.create({
        name: 'Inkwell Printing Shop',
        description: 'Prints your photos on paper.',
        ownerId: await idOf('ada'),
        redirectUris: ['https://print.example/callback'],
        verified: true,
      });
      const at = `/oauth/applications/${clientId}`;
      const ada = await open('ada', locale);
      await ada.goto(at);
      await ada.click('#application-invite');
      expect(ada.url()).toContain(at);
      await ada.fill('#invite-person', '   ');
      await ada.click('#application-invite');
      expect(await ada.locator('#invite-person').getAttribute('aria-invalid')).toBe('true');
      await expectGoodPage(ada, `owners-refused-${locale}`);
      await ada.fill('#invite-person', 'an-address-as-long-as-some@subdomain.department.company.example');
      await ada.click('#application-invite');
      await ada.fill('#invite-person', 'Grace');
      await ada.check('#as-1');
      await ada.click('#application-invite');
      expect(await ada.locator('#application-invited').innerText()).toContain('Grace');
      await ada.fill('#invite-person', 'Grace');
      await ada.click('#application-invite');
      await expectGoodPage(ada, `owners-${locale}`);
      await ada.click('#invitation-withdraw-1');

      const grace = await open('grace', locale);
      await grace.goto('/oauth/applications');
      await expectGoodPage(grace, `invitations-${locale}`);
      await grace.click('#applications-invitations a');
      await expectGoodPage(grace, `invitation-${locale}`);
      await grace.click('#invitation-accept');
      expect(await grace.locator('#application-owners').innerText()).toContain('Ada (ada)');
      await grace.click('#owner-remove-0');
      await expectGoodPage(grace, `owner-remove-${locale}`);
      await grace.click('#application-owner-confirm');
      expect(await grace.locator('#application-owners li').count()).toBe(1);
      expect(await grace.locator('#owner-remove-0').count()).toBe(0);
      await ada.goto(at);
      expect(await ada.locator('#application-owners').count()).toBe(0);
      await app.clients.delete(clientId);
    },
  );
});
