import { beforeAll, expect, it } from '@jest/globals';
import type { BrowserContext, Page } from 'playwright-core';

import { expectGoodPage } from '../support/axe.js';
import { describeInChromium, launchChromium, type TestBrowser } from '../support/chromium.js';
import { openServer } from '../support/open-server.js';
import { openPagesSite, requestOf, submitLogin } from '../support/pages-site.js';
import { fixture } from '../support/site-for.js';

/** A client on another origin that stores the forms it receives. */
async function openCallback() {
  const posts: URLSearchParams[] = [];
  const server = await openServer((req, res) => {
    let body = '';
    req.on('data', (chunk: Buffer) => (body += chunk.toString()));
    req.on('end', () => {
      if (req.method === 'POST') {
        posts.push(new URLSearchParams(body));
        // like clients: a redirect to a page of the client
        res.writeHead(303, { location: '/done' }).end();
      } else res.end('<title>done</title>');
    });
  });
  return { ...server, posts };
}

describeInChromium('form_post responses in Chromium', () => {
  const site = fixture(() => openPagesSite({ formPost: true }));
  const browser = fixture(launchChromium);
  const callback = fixture(openCallback);
  let loggedIn: Awaited<ReturnType<BrowserContext['storageState']>>;
  let address: string;

  beforeAll(async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${site.url}/login`);
    await submitLogin(page);
    loggedIn = await context.storageState();
    const { clientId } = await site.client({ redirectUris: [`${callback.url}/callback`], trusted: true });
    address = requestOf(site, clientId, { response_mode: 'form_post', state: 'a "b" é' });
  });

  async function openPage(options: Parameters<TestBrowser['newContext']>[0] = {}): Promise<Page> {
    callback.posts.length = 0;
    return (await browser.newContext({ storageState: loggedIn, locale: 'en', ...options })).newPage();
  }

  it('a form_post response sends itself if scripts run', async () => {
    const page = await openPage();
    await page.goto(site.url);
    await page.goto(address);
    await page.waitForURL('**/done');
    expect(callback.posts).toHaveLength(1);
    expect(callback.posts[0]?.get('state')).toBe('a "b" é');
    expect(callback.posts[0]?.get('code')).toMatch(/^eas_ac_/);
    // Back does not send the form again
    await page.goBack();
    await page.waitForTimeout(300);
    expect(
      callback.posts.map((post) => post.get('code')).filter((code, at, all) => all.indexOf(code) !== at),
    ).toEqual([]);
  });

  it('a form_post response without scripts has a button', async () => {
    const page = await openPage({ javaScriptEnabled: false });
    await page.goto(address);
    expect(await page.locator('h1').innerText()).toBe('One moment');
    await page.click('#form-post-submit');
    await page.waitForURL('**/done');
    expect(callback.posts).toHaveLength(1);
  });

  it.each(['en', 'de', 'fr', 'es', 'ja', 'ar'])('a form_post page is good in %s', async (locale) => {
    // without the script, so that the page stays and can be checked
    const page = await openPage({ locale });
    await page.route('**/script-*.js', (route) =>
      route.fulfill({ body: '', contentType: 'text/javascript' }),
    );
    await page.goto(`${address}&ui_locales=${locale}`);
    await page.waitForSelector('#form-post-submit');
    expect(await page.locator('html').getAttribute('lang')).toBe(locale);
    await expectGoodPage(page, `form-post-${locale}`);
  });
});
