import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';

import { exampleInChromium } from '../interop/support/example-in-chromium.js';
import { expectGoodPage } from '../support/axe.js';
import { describeInChromium } from '../support/chromium.js';
import { closeWatched, openWatched } from '../support/watched-page.js';

const SECRETS =
  /connect\.sid|photos\.sid|eas_(at|rt|ac)_[\w-]{20,}|demo-secret|correct-horse|CARD-[\w-]{10}|Basic [\w+/]{10}/;

describeInChromium('the playground in Chromium', () => {
  const { example, browser } = exampleInChromium();
  let context: BrowserContext;
  let page: Page;

  beforeEach(() => openContext({ viewport: { width: 1280, height: 900 } }));
  afterEach(() => closeWatched(context));

  async function openContext(options: BrowserContextOptions): Promise<void> {
    await context?.close();
    ({ context, page } = await openWatched(browser, options));
  }
  const open = (flow: string) => page.goto(`${example.issuer}/playground/${flow}`);
  /** Presses the button of a step, and waits until the browser is back on the page. */
  const press = async (step: string) => {
    await page.click(`#do-${step}`);
    await page.waitForURL(`**#${step}`);
    await page.waitForLoadState();
  };
  /** Logs in and allows, each if necessary. */
  const allow = async (back: string) => {
    const [login, consent] = [page.locator('#login-submit'), page.locator('#consent-allow')];
    const home = page.locator('.playground .step').first();
    await login.or(consent).or(home).waitFor();
    await page.waitForLoadState();
    if (await login.isVisible()) {
      await page.fill('#username', 'ada');
      await page.fill('#password', 'correct-horse-battery');
      await login.click();
      await consent.or(home).waitFor();
      await page.waitForLoadState();
    }
    if (await consent.isVisible()) await consent.click();
    await page.waitForURL(`**/playground/${back}`);
    await page.waitForLoadState();
  };
  const ask = async (flow: string, step = 'authorize', next = 'redeem') => {
    await open(flow);
    await page.click(`#do-${step}`);
    await allow(`${flow}#${next}`);
  };
  const results = () => page.locator('.exchange .badge').allInnerTexts();

  const openDetails = () =>
    page.evaluate(`document.querySelectorAll('details').forEach((details) => (details.open = true))`);
  test('password: the client sees the password and shows it only on request', async () => {
    await open('password');
    await page.fill('#type-password', 'correct-horse-battery');
    await press('type');
    expect(await page.content()).not.toMatch(SECRETS);
    await page.getByRole('button', { name: 'Show the secrets of exchange 1' }).click();
    await page.getByRole('button', { name: 'Hide the secrets of exchange 1' }).waitFor();
    expect(await page.locator('#exchange-1').innerText()).toContain('correct-horse-battery');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Show the secrets of exchange 1' }).waitFor();
    expect(await page.content()).not.toMatch(SECRETS);
  });

  test('implicit: the token is in the address and does not stay there', async () => {
    await ask('implicit', 'ask', 'use');
    await press('use');
    expect(await results()).toEqual(['access token', '200']);
    expect(page.url() + (await page.content())).not.toMatch(SECRETS);
  });

  test('implicit without JavaScript: the person copies the token', async () => {
    await openContext({ javaScriptEnabled: false });
    await open('implicit');
    await page.click('#do-ask');
    await allow('implicit-callback#**');
    await page.fill('#fragment', new URL(page.url()).hash);
    await page.click('#implicit-submit');
    await page.waitForURL('**/implicit#use');
    expect(await results()).toEqual(['access token']);
  });

  test('the drawing has an arrow for each leg and a description in words', async () => {
    await ask('authorization-code', 'authorize', 'check');
    await press('check');
    await press('redeem');
    expect(await page.locator('.timeline svg .arrow').count()).toBe(6);
    await page.getByText('The same in words').click();
    expect(await page.locator('#timeline-words').innerText()).toContain(
      '2. The playground redeems the code. Playground to Photo site: POST /token; the answer: 200 two tokens.',
    );
  });

  for (const javaScriptEnabled of [true, false])
    test(`waiting steps are folded, open by keyboard and unfold in their turn, JavaScript ${javaScriptEnabled ? 'on' : 'off'}`, async () => {
      await openContext({ javaScriptEnabled, viewport: { width: 390, height: 844 } });
      await open('authorization-code');
      const folded = () => page.locator('.step.folded').evaluateAll((steps) => steps.map(({ id }) => id));
      expect(await folded()).toEqual([
        'check',
        'forge-state',
        'forge-iss',
        'steal',
        'redeem',
        'use',
        'open',
        'replay',
      ]);
      expect(await page.locator('#redeem').innerText()).toMatch(/Redeem the code\s+There is no code yet\.$/);
      await page.locator('#redeem summary').focus();
      await page.keyboard.press('Enter');
      expect(await page.locator('#redeem').innerText()).toContain('Server to server, past your browser');
      expect(await page.locator('aside').innerText()).toContain('The photos are yours');
      if (javaScriptEnabled) await expectGoodPage(page, 'playground-folded');
      await page.click('#do-authorize');
      await allow('authorization-code#check');
      await press('check');
      expect(await folded()).toEqual(['use', 'open', 'replay']);
      expect(await page.locator('aside').innerText()).not.toContain('The photos are yours');
    });

  const look = (name: string) => expectGoodPage(page, `playground-${name}`);

  test('every page of the playground is good, in both widths and colour schemes', async () => {
    await open('');
    await look('overview');
    await open('implicit-callback');
    await look('implicit-callback');
    await open('device');
    await look('device');
    await ask('authorization-code', 'authorize', 'check');
    for (const step of [
      'check',
      'forge-state',
      'forge-iss',
      'steal',
      'redeem',
      'use',
      'open',
      'elsewhere',
      'replay',
    ])
      await press(step);
    await openDetails();
    await look('authorization-code');
    await page.goto(`${example.issuer}/playground/authorization-code?show=5`);
    await look('with-secrets');
  });

  test('the pages for a decoded JWT and for another client are good', async () => {
    await ask('jwt');
    for (const step of ['redeem', 'use', 'open', 'other-api', 'tamper']) await press(step);
    await openDetails();
    // a key's id is random, so the test adds the widest one, which cannot break
    await page.evaluate(`document.querySelector('#signature').append(' ' + 'W'.repeat(43))`);
    await look('jwt');
    await open('own?client_id=my-app&parameters=prompt%3Dconsent');
    expect(await page.inputValue('#authorize-client_id')).toBe('my-app');
    await look('own');
  });
});
