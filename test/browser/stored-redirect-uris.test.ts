import { afterAll, afterEach, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import type { BrowserContext, Page } from 'playwright-core';

import { describeInChromium, launchChromium, type TestBrowser } from '../support/chromium.js';
import { openPagesSite, type PagesSite, PERSON } from '../support/pages-site.js';

jest.setTimeout(120_000);

/** Registration refuses some of these; `migrate` takes them over from another server. */
const STORED = [
  'http://intranet/callback',
  'http://intranet:8080/callback',
  'myapp:/callback',
  'com.example.app:/callback',
];
const CLIENT_ID = 'migrated-client';

describeInChromium('a redirect URI that can only be stored by a migration', () => {
  let site: PagesSite;
  let browser: TestBrowser;
  let context: BrowserContext;
  let page: Page;
  let violations: string[];

  beforeAll(async () => {
    [site, browser] = await Promise.all([openPagesSite(), launchChromium()]);
    await site.oauth.clients.create({
      clientId: CLIENT_ID,
      name: 'Old client',
      type: 'public',
      redirectUris: ['https://old.example/callback'],
      scopes: ['photos:read'],
    });
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await site?.close();
  });
  beforeEach(async () => {
    violations = [];
    context = await browser.newContext();
    page = await context.newPage();
    page.setDefaultTimeout(30_000);
    page.on('console', (message) => {
      if (message.text().includes('Content Security Policy')) violations.push(message.text());
    });
  });
  afterEach(() => context.close());

  async function store(redirectUri: string): Promise<void> {
    const clients = site.database.connection.collection<{ _id: string }>('oauth_clients');
    await clients.updateOne({ _id: CLIENT_ID }, { $set: { redirectUris: [redirectUri] } });
    await site.database.connection.collection('oauth_consents').deleteMany({});
  }
  const askFor = (more: Readonly<Record<string, string>> = {}) =>
    `${site.url}/oauth/authorize?${new URLSearchParams({
      response_type: 'code',
      client_id: CLIENT_ID,
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWBuGJSstw-cM',
      code_challenge_method: 'S256',
      ...more,
    }).toString()}`;
  async function logIn(): Promise<void> {
    await page.fill('#username', PERSON.username);
    await page.fill('#password', PERSON.password);
    await page.click('#login-submit');
  }
  /** Presses a button, and waits until the browser sets out for the client, whom nobody plays here. */
  async function expectToLeadTo(redirectUri: string, press: () => Promise<void>): Promise<void> {
    const isHttp = redirectUri.startsWith('http:');
    const ended = page.waitForEvent('requestfailed', { timeout: 15_000 });
    await press();
    const request = await ended;
    expect(violations).toEqual([]);
    if (isHttp) expect(request.url()).toMatch(new RegExp(`^${redirectUri}\\?.*code=`));
    else expect(request.failure()?.errorText).toBe('net::ERR_ABORTED');
  }

  // nothing proves who answers at these, so people are asked each time: no login leads straight on to them
  test.each(STORED)('%s is reached from the consent page', async (redirectUri) => {
    await store(redirectUri);
    await page.goto(askFor({ redirect_uri: redirectUri }));
    await logIn();
    await expectToLeadTo(redirectUri, () => page.click('#consent-allow'));
  });

  test('and from the consent page of a request that leaves it out', async () => {
    await store(STORED[0]!);
    await page.goto(askFor());
    await logIn();
    await expectToLeadTo(STORED[0]!, () => page.click('#consent-allow'));
  });

  test('the login page names the client that waits, without being told of the server', async () => {
    await store(STORED[0]!);
    await page.goto(askFor());
    expect(await page.locator('main').innerText()).toContain('Old client');
  });
});
