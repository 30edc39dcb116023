import { expect, test } from '@jest/globals';
import type { BrowserContextOptions, Page } from 'playwright-core';

import type { RunningExample } from '../interop/support/example.js';
import { exampleInChromium } from '../interop/support/example-in-chromium.js';
import { findViolations } from '../support/axe.js';
import { describeInChromium } from '../support/chromium.js';
import { requestOf } from '../support/pages-site.js';
import { tabTo } from '../support/watched-page.js';

/** A way to use the pages. */
interface Way {
  readonly name: string;
  readonly options: BrowserContextOptions;
  readonly isByKeyboard?: true;
  readonly hasScripts?: false;
}

const WAYS: readonly Way[] = [
  // WCAG 2.2 SC 1.4.10: 1280 px at 400 %
  {
    name: 'without JavaScript, at 400 %',
    options: { viewport: { width: 320, height: 256 } },
    // scripts are blocked, not disabled, because axe needs them
    hasScripts: false,
  },
  {
    name: 'with the keyboard alone, in forced colours',
    options: { forcedColors: 'active', viewport: { width: 1280, height: 800 } },
    isByKeyboard: true,
  },
];

describeInChromium('a walk through all pages of the example', () => {
  const { example, browser } = exampleInChromium();

  test.each(WAYS)('all pages of the example work $name', async (way) => {
    await using context = await browser.newContext(way.options);
    const page = await context.newPage();
    if (way.hasScripts === false) await page.route(/\.js$/, (route) => route.abort());
    const walker = createWalker(page, way);
    await connect(walker, example);
    await lookAfterApps(walker, example);
    await registerApplication(walker, example);
    await goWrong(walker, example);
    expect(walker.seen).toHaveLength(21);
  });
});

interface Walker {
  readonly page: Page;
  readonly seen: string[];
  /** Checks that the page in this state is as good as it should be. */
  readonly look: (state: string) => Promise<void>;
  readonly press: (selector: string) => Promise<void>;
  readonly type: (selector: string, text: string) => Promise<void>;
}

function createWalker(page: Page, { isByKeyboard }: Way): Walker {
  const seen: string[] = [];
  const reach = (selector: string) => tabTo(page, page.locator(selector));
  return {
    page,
    seen,
    async look(state) {
      await page.waitForLoadState();
      seen.push(state);
      expect([state, await findViolations(page)]).toEqual([state, []]);
      const [width, seenWidth, title] = await page.evaluate<[number, number, string]>(
        '[document.documentElement.scrollWidth, document.documentElement.clientWidth, document.title]',
      );
      expect([state, width <= seenWidth, title === '']).toEqual([state, true, false]);
    },
    async press(selector) {
      await page.locator(selector).waitFor();
      if (!isByKeyboard) return page.click(selector);
      await reach(selector);
      const isTicked = await page.evaluate(`document.activeElement.type === 'checkbox'`);
      await page.keyboard.press(isTicked ? 'Space' : 'Enter');
    },
    async type(selector, text) {
      await page.locator(selector).waitFor();
      if (!isByKeyboard) return page.fill(selector, text);
      await reach(selector);
      await page.keyboard.press('Control+A');
      await page.keyboard.type(text);
    },
  };
}

async function connect({ page, look, press, type }: Walker, { shopUrl }: RunningExample): Promise<void> {
  await page.goto(shopUrl);
  await press('#print-submit');
  await page.locator('#login-submit').waitFor();
  await look('login');
  await type('#username', 'grace');
  await type('#password', 'not this one');
  await press('#login-submit');
  await page.locator('[role=alert]').waitFor();
  await look('login that is refused');
  await type('#username', 'grace');
  await type('#password', 'nanoseconds-of-wire');
  await press('#login-submit');
  await page.locator('#consent-allow').waitFor();
  await look('consent');
  await press('#consent-allow');
  await page.waitForURL(`${shopUrl}/prints`);
  await look('the shop');
}

async function lookAfterApps(
  { page, look, press }: Walker,
  { issuer, albumUrl }: RunningExample,
): Promise<void> {
  await page.goto(`${issuer}/oauth/authorizations`);
  await look('connected apps');
  await press('#authorization-0');
  await page.locator('#revoke').waitFor();
  await look('a connected app');
  await press('#revoke');
  await look('before it is disconnected');
  await press('#revoke-confirm');
  await page.locator('#authorizations-note').waitFor();
  await look('disconnected');
  const query = { scope: 'albums:read', resource: albumUrl };
  await page.goto(requestOf({ url: issuer }, 'album-viewer', query));
  await press('#consent-deny');
  await page.waitForURL((url) => url.searchParams.get('error') === 'access_denied');
  await look('denied');
}

async function registerApplication(
  { page, look, press, type }: Walker,
  { issuer }: RunningExample,
): Promise<void> {
  await page.goto(`${issuer}/oauth/applications`);
  await look('applications');
  await press('#application-new');
  await page.locator('#application-submit').waitFor();
  await look('a new application');
  await press('#application-submit');
  await page.locator('#problem-summary').waitFor();
  await look('a new application that is refused');
  await type('#application-name', 'Night sky printer');
  await type('textarea[name=redirect_uris]', 'https://night-sky.example/callback');
  await press('#application-submit');
  await page.locator('#client-secret').waitFor();
  await look('an application and its secret');
  await press('#application-edit');
  await page.locator('#application-submit').waitFor();
  await look('an application to change');
  await press('#application-submit');
  await press('#application-delete');
  await page.locator('#application-delete-confirm').waitFor();
  await look('an application to delete');
  await type('#application-delete-confirmation', 'Night sky printer');
  await press('#application-delete-confirm');
  await page.locator('[role=status]').first().waitFor();
  await look('applications, one of them deleted');
}

async function goWrong({ page, look, press, type }: Walker, { issuer }: RunningExample): Promise<void> {
  await page.goto(`${issuer}/oauth/device`);
  await look('the code of a device');
  await type('#user-code', 'BCDF-GHJK');
  await press('#device-submit');
  await page.locator('#user-code-problem').waitFor();
  await look('a wrong code');
  await page.goto(`${issuer}/oauth/authorize?client_id=nobody&response_type=code`);
  await look('an unknown application, and what a developer reads of it');
  await press('#error-details summary');
  await look('the same as anybody else reads it');
  await press('#error-home');
  await page.waitForURL(`${issuer}/`);
  await look('home');
}
