import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';

import { expectGoodPage } from '../support/axe.js';
import { describeInChromium, launchChromium, type TestBrowser } from '../support/chromium.js';
import { DARK, HOSTILE, LIKE_BOOTSTRAP, LIKE_TAILWIND } from '../support/host-styles.js';
import { openPagesSite, type PagesSite, submitLogin } from '../support/pages-site.js';

const PUG = `doctype html
html(lang=locale dir=direction)
  head
    meta(name="viewport" content="width=device-width, initial-scale=1")
    title= title
    link(rel="stylesheet" href="/site.css")
    link(rel="stylesheet" href=stylesheet)
  body
    header
      div.card#host-card
        a.badge#host-badge(href="/") Host
      button.btn#host-button(type="button") Menu
    main!= content
`;
/** Styles that are compared for each element. */
const LOOKS = [
  'color',
  'backgroundColor',
  'fontSize',
  'fontWeight',
  'display',
  'paddingTop',
  'borderTopWidth',
];
/** More styles that are compared for the mark. */
const SEEN = [
  'visibility',
  'opacity',
  'position',
  'textIndent',
  'transform',
  'clipPath',
  'webkitTextFillColor',
  'letterSpacing',
];

describeInChromium('the pages in a layout of the host’s, by pug', () => {
  let folder: string;
  let site: PagesSite;
  let plain: PagesSite;
  let browser: TestBrowser;
  let styles = '';

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'layouts-'));
    await writeFile(join(folder, 'oauth.pug'), PUG);
    [site, plain, browser] = await Promise.all([
      openPagesSite({
        pages: {
          layout: (page, _req, res) =>
            new Promise((ok, no) =>
              res.render('oauth', page, (error, html) => (error ? no(error) : ok(html))),
            ),
        },
        before: (app) =>
          app
            .set('views', folder)
            .set('view engine', 'pug')
            .get('/site.css', (_req, res) => res.type('css').set('Cache-Control', 'no-store').send(styles)),
      }),
      openPagesSite(),
      launchChromium(),
    ]);
  });
  afterAll(async () => {
    await browser?.close();
    await Promise.all([site?.close(), plain?.close()]);
    await rm(folder, { recursive: true });
  });

  async function openConsent({ url, oauth, callback }: PagesSite): Promise<Page> {
    const { clientId } = await oauth.clients.create({ name: 'Inkwell', redirectUris: [callback] });
    const page = await (await browser.newContext({ locale: 'en' })).newPage();
    await page.goto(`${url}/oauth/authorize?response_type=code&client_id=${clientId}`);
    await submitLogin(page);
    await page.locator('#consent-form').waitFor();
    return page;
  }

  function looksOf(page: Page, selector: string, names = LOOKS): Promise<unknown> {
    return page.evaluate(
      `(({ ...all }) => ${JSON.stringify(names)}.map((name) => [name, all[name]]))(getComputedStyle(document.querySelector(${JSON.stringify(selector)})))`,
    );
  }

  test.each([
    ['Bootstrap', LIKE_BOOTSTRAP],
    ['Tailwind', LIKE_TAILWIND],
    ['dark', DARK],
  ])('pages in the layout of a host look as in the default frame: %s', async (name, given) => {
    styles = given;
    const [own, page] = await Promise.all([openConsent(plain), openConsent(site)]);
    for (const selector of [
      ...['h1', 'h2', '.eas-lead', '.eas-badge', '.eas-card', 'legend', '.eas-grant'],
      ...['.eas-limits li', '#consent-allow', '#consent-deny', '#account-switch', '.eas-tile'],
    ])
      expect([selector, await looksOf(page, selector)]).toEqual([selector, await looksOf(own, selector)]);
    const box = '.eas-grant [type="checkbox"]';
    const names = ['appearance', 'width', 'backgroundColor', 'opacity', 'position', 'marginTop'];
    expect(await looksOf(page, box, names)).toEqual(await looksOf(own, box, names));
    await expectGoodPage(page, `layout-${name}-consent`);
    if (name !== 'Tailwind') {
      await page.goto(`${site.url}/oauth/applications/new`);
      await page.click('#application-submit');
      await expectGoodPage(page, `layout-${name}-application-problems`);
    }
    await page.context().close();
    await own.context().close();
  });

  test('the styles of the pages change no element of the host’s layout', async () => {
    styles = LIKE_BOOTSTRAP;
    const page = await (await browser.newContext()).newPage();
    const looks = async () =>
      Promise.all(
        ['html', 'body', 'header', '#host-card', '#host-badge', '#host-button', 'main'].map((selector) =>
          looksOf(page, selector, [...LOOKS, 'fontFamily', 'boxSizing', 'textDecorationLine', 'colorScheme']),
        ),
      );
    await page.goto(`${site.url}/login`);
    const withOwn = await looks();
    await page.evaluate("document.querySelector('link[href*=style-]').remove()");
    expect(withOwn).toEqual(await looks());
    await page.context().close();
  });

  test('the mark of an unverified application looks the same under hostile styles of the host', async () => {
    styles = HOSTILE;
    const [own, page] = await Promise.all([openConsent(plain), openConsent(site)]);
    const mark = '#client-unverified';
    for (const names of [LOOKS, SEEN])
      expect(await looksOf(page, mark, names)).toEqual(await looksOf(own, mark, names));
    const { width = 0, height = 0 } = (await page.locator(mark).boundingBox()) ?? {};
    expect(width > 60 && height > 15).toBe(true);
    expect(
      await page.evaluate(`getComputedStyle(document.querySelector('${mark}'), '::after').content`),
    ).toBe('none');
  });
});
