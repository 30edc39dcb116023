import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { BrowserContext, Page } from 'playwright-core';

import { carryText } from '../../lib/core/http/carried-text.js';
import type { NewClient } from '../../lib/index.js';
import { describeInChromium, launchChromium } from '../support/chromium.js';
import { openServer } from '../support/open-server.js';
import { openPagesSite, OTHER_PERSON, requestOf, submitLogin } from '../support/pages-site.js';
import { fixture } from '../support/site-for.js';

const HOSTILE =
  '"><img src=x onerror=alert(1)><script>alert(2)</script></bdi><style>*{display:none}</style>{{7*7}}';

describeInChromium('a hostile site, client or name, in Chromium', () => {
  const site = fixture(() =>
    openPagesSite({
      personName: HOSTILE,
      scopes: { 'a:b': HOSTILE, '<img/src=x>': 'A scope whose own name is markup' },
    }),
  );
  let evilPage = '';
  // 127.0.0.1 is another site than localhost
  const evil = fixture(() =>
    openServer((_req, res) => res.setHeader('Content-Type', 'text/html').end(evilPage)),
  );
  const browser = fixture(launchChromium);
  let context: BrowserContext;
  let page: Page;
  const complaints: string[] = [];
  const dialogs: string[] = [];

  beforeEach(async () => {
    context = await browser.newContext({ locale: 'en' });
    complaints.length = dialogs.length = 0;
    context.on(
      'console',
      (message) =>
        void (message.text().includes('Content Security Policy') && complaints.push(message.text())),
    );
    context.on('dialog', (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    page = await context.newPage();
  });
  afterEach(async () => {
    await context?.close();
    expect(dialogs).toEqual([]);
  });

  async function logIn(): Promise<void> {
    await page.goto(`${site.url}/login`);
    await submitLogin(page);
    await page.locator('#who').waitFor();
  }
  async function newRequest(
    client: Partial<NewClient> = {},
    query: Readonly<Record<string, string>> = {},
  ): Promise<string> {
    const { clientId } = await site.client(client);
    return requestOf(site, clientId, query);
  }
  const openEvil = async (html: string) => {
    evilPage = `<!doctype html><title>evil</title>${html}`;
    await page.goto(`${evil.url}/`);
  };
  const whoIsLoggedIn = async () => {
    await page.goto(`${site.url}/`);
    return page.locator('#who').innerText();
  };

  test('hostile text is escaped on every page, and Content-Security-Policy reports nothing', async () => {
    await logIn();
    const client: Partial<NewClient> = { name: HOSTILE, logoUri: 'https://evil.example/logo.png' };
    const { clientId } = await site.client({ name: HOSTILE, ownerId: '' });
    const pages = [
      await newRequest(client, { state: HOSTILE, login_hint: HOSTILE, ui_locales: HOSTILE }),
      await newRequest(client, { prompt: 'select_account', state: HOSTILE }),
      `${site.url}/oauth/authorize?client_id=${encodeURIComponent(HOSTILE)}&ui_locales=${encodeURIComponent(HOSTILE)}`,
      `${site.url}/oauth/authorize?client_id=${clientId}&redirect_uri=${encodeURIComponent(`https://evil.example/${HOSTILE}`)}`,
      `${site.url}/oauth/applications/new`,
      `${site.url}/oauth/applications/${encodeURIComponent(HOSTILE)}`,
      `${site.url}/oauth/applications?note=${encodeURIComponent(HOSTILE)}`,
      `${site.url}/logout`,
    ];
    for (const address of pages) {
      await page.goto(address);
      const found = await page.evaluate(() => {
        const { document } = globalThis as unknown as {
          document: { querySelectorAll: (selector: string) => { length: number } };
        };
        return ['main img[src=x]', 'body script', 'body style', '[onerror]', 'main img'].map(
          (selector) => document.querySelectorAll(selector).length,
        );
      });
      expect([address, found]).toEqual([address, [0, 0, 0, 0, 0]]);
      expect(await page.locator('h1').isVisible()).toBe(true);
    }
    await page.goto(pages[0] ?? '');
    expect(await page.locator('h1').innerText()).toContain('<img src=x');
    expect(await page.locator('main').innerText()).toContain(HOSTILE);
    await context.clearCookies();
    await page.goto(
      `${site.url}/login?login_hint=${encodeURIComponent(HOSTILE)}&return_to=${encodeURIComponent(`/"><script>alert(1)</script>`)}`,
    );
    expect(await page.inputValue('#username')).toBe(HOSTILE);
    expect(complaints).toEqual([]);
  });

  test('clickjacking: no page appears in a frame of another site', async () => {
    await logIn();
    for (const address of [
      await newRequest(),
      await newRequest({}, { prompt: 'login' }),
      `${site.url}/login`,
      `${site.url}/logout`,
      `${site.url}/oauth/applications`,
    ]) {
      await openEvil(`<iframe src="${address.replaceAll('&', '&amp;')}" width="400" height="400"></iframe>`);
      await page.waitForLoadState('networkidle');
      const frame = page.frames().find((candidate) => candidate !== page.mainFrame());
      expect([address, await frame?.locator('form, main').count()]).toEqual([address, 0]);
    }
  });

  test('CSRF: a form of another site decides nothing, logs nobody out and switches no account', async () => {
    await logIn();
    const request = carryText((await newRequest()).split('?')[1] ?? '');
    const forms: [string, Record<string, string>][] = [
      ['/oauth/authorize', { authorization_request: request, decision: 'allow', granted_scope: 'a:b' }],
      ['/oauth/authorize', { authorization_request: request, account: 'switch' }],
      ['/logout', {}],
    ];
    for (const [path, fields] of forms) {
      const inputs = Object.entries(fields).map(
        ([name, value]) => `<input name="${name}" value="${value.replaceAll('&', '&amp;')}">`,
      );
      await openEvil(
        `<form method="post" action="${site.url}${path}">${inputs.join('')}<button>Win a prize</button></form>`,
      );
      await page.click('button');
      await page.waitForLoadState();
      expect(page.url()).not.toContain('code=');
      expect(await whoIsLoggedIn()).toBe('somebody');
    }
    expect(await site.database.collection('oauth_consents').countDocuments({})).toBe(0);
    expect(await site.database.collection('oauth_grants').countDocuments({})).toBe(0);
  });

  test('login CSRF: a form of another site logs nobody in to the attacker’s account', async () => {
    await openEvil(
      `<form method="post" action="${site.url}/login"><input name="username" value="${OTHER_PERSON.username}"><input name="password" value="${OTHER_PERSON.password}"><button>Win a prize</button></form>`,
    );
    await page.click('button');
    await page.locator('#login-form').waitFor();
    expect(await whoIsLoggedIn()).toBe('nobody');
  });

  test.each([
    '//127.0.0.1/',
    '/\\127.0.0.1/',
    'http://127.0.0.1/',
    '/\t/127.0.0.1',
    '/%09/127.0.0.1',
    'javascript:alert(1)',
    '/..//127.0.0.1',
    '/login/..//127.0.0.1',
  ])('open redirect: the return path %j leads to no other site', async (returnPath) => {
    await page.goto(`${site.url}/login?return_to=${encodeURIComponent(returnPath)}`);
    await submitLogin(page);
    await page.waitForURL((url) => url.pathname !== '/login' || url.search === '');
    expect(new URL(page.url()).origin).toBe(site.url);
  });

  test('session fixation: the login replaces a planted session', async () => {
    await using attacker = await browser.newContext();
    const theirs = await attacker.newPage();
    await theirs.goto(`${site.url}/login`);
    const planted = (await attacker.cookies()).find(({ name }) => name === 'site.sid');
    expect(planted).toBeDefined();
    if (planted !== undefined) await context.addCookies([planted]);
    await logIn();
    expect((await context.cookies()).find(({ name }) => name === 'site.sid')?.value).not.toBe(planted?.value);
    await theirs.goto(`${site.url}/`);
    expect(await theirs.locator('#who').innerText()).toBe('nobody');
  });
});
