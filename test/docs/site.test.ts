import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';

import { findViolations } from '../support/axe.js';
import { describeInChromium, launchChromium, type TestBrowser } from '../support/chromium.js';
import { root } from './blocks.js';
import { buildSite, DIST, installSite } from './site/build.js';

const missing = await installSite().then(
  () => '',
  (error: Error) => ` (skipped: the packages cannot be installed: ${error.message})`,
);
const describeInstalled = missing === '' ? describe : describe.skip;
const urlOf = (page: string) => pathToFileURL(join(DIST, page)).href;
const textOf = (page: string) => readFileSync(join(DIST, page), 'utf8');

describeInstalled(`the site of the documents${missing}`, () => {
  beforeAll(() => buildSite());

  test('no link of the site is dead, and each heading exists', () => {
    const pages = readdirSync(DIST, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.html'),
    );
    const dead = pages
      .filter((page) => page !== '404.html')
      .flatMap((page) =>
        [...textOf(page).matchAll(/(?:href|src|srcset)="([^"]+)"/g)]
          .map(([, target = '']) => target)
          .filter((target) => !/^(https?|mailto|data):/.test(target) && !leadsSomewhere(page, target))
          .map((target) => [page, target]),
      );
    expect(dead).toEqual([]);
    expect(pages.length).toBeGreaterThan(30);
  });

  describeInChromium('the site opened from its folder', () => {
    let browser: TestBrowser;
    let page: Page;
    let problems: string[];
    beforeAll(async () => {
      browser = await launchChromium();
      page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
      page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) problems.push(message.text());
      });
      page.on('pageerror', (error) => problems.push(error.message));
      page.on('requestfailed', (request) => problems.push(request.url()));
    });
    afterAll(() => browser.close());

    async function open(name: string): Promise<void> {
      problems = [];
      await page.goto(urlOf(name));
      // the headings at the side, which only scripts create
      await page.locator('.VPDocAsideOutline a').first().waitFor({ state: 'attached' });
    }

    /** The first pages of the search results, each once. */
    async function search(terms: string): Promise<string[]> {
      await open('docs/concepts.html');
      // the search stores its last words, and would show their results
      await page.evaluate('sessionStorage.clear()');
      await page.locator('.VPNavBarSearch button').first().click();
      await page.fill('#localsearch-input', terms);
      const results = page.locator('.results .result');
      await results.first().waitFor();
      const found = await results.evaluateAll((links) =>
        links.map((link) => (link as unknown as { href: string }).href),
      );
      const pages = found.map((href) => relative(DIST, fileURLToPath(href.split('#')[0]!)));
      return [...new Set(pages)];
    }

    test('every document is in the navigation', async () => {
      await open('index.html');
      const links = await page
        .locator('.VPSidebar a')
        .evaluateAll((all) => all.map((link) => (link as unknown as { href: string }).href));
      const documents = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.md'))
        .map((name) => join('docs', name.replace(/\.md$/, '.html')));
      const pages = [...documents, 'index.html', 'CHANGELOG.html', 'SECURITY.html'];
      expect(links.map((href) => relative(DIST, fileURLToPath(href))).sort()).toEqual(pages.sort());
      expect(problems).toEqual([]);
    });

    test('links, headings at the side and Back lead to their targets', async () => {
      await open('index.html');
      await page.locator('.vp-doc a[href$="quick-starts.html"]').first().click();
      await page.waitForURL(urlOf('docs/quick-starts.html'));
      await page.locator('.VPDocAsideOutline a').last().click();
      await page.waitForFunction('location.hash !== "" && scrollY > 0');
      await page.goBack();
      await page.goBack();
      await page.waitForURL(urlOf('index.html'));
      expect(problems).toEqual([]);
    });

    test('the search finds expected words in its first three pages', async () => {
      const expected = {
        introspection: 'docs/resource-servers.html',
        NestJS: 'docs/recipes.html',
        revoke: 'docs/guide.html',
        MCP: 'docs/agents.html',
        DPoP: 'docs/guide.html',
        refresh: 'docs/guide.html',
      };
      for (const [terms, right] of Object.entries(expected))
        expect([terms, (await search(terms)).slice(0, 3)]).toEqual([terms, expect.arrayContaining([right])]);
      await page.keyboard.press('Enter');
      await page.waitForURL(/guide\.html#/);
      await search('licence');
      await page.keyboard.press('Enter');
      await page.waitForURL(`${urlOf('index.html')}#licence`);
      expect(problems).toEqual([]);
    });

    test('the app starts in a page that the browser has parsed to its end', async () => {
      await page.addInitScript(`
        globalThis.statesAtStart = [];
        new MutationObserver((changes) => {
          for (const { addedNodes } of changes)
            for (const node of addedNodes)
              if (/assets\\/app/.test(node.src ?? '')) statesAtStart.push(document.readyState);
        }).observe(document, { childList: true, subtree: true });
      `);
      await open('docs/comparison.html');
      expect(await page.evaluate('statesAtStart')).toEqual(['interactive']);
      expect(problems).toEqual([]);
    });

    test.each(['docs/quick-starts.html', 'docs/resource-servers.html', 'docs/troubleshooting.html'])(
      'no word breaks in the tables of %s, on a screen and on a phone',
      async (name) => {
        for (const width of [1280, 390]) {
          await page.setViewportSize({ width, height: 800 });
          await open(name);
          expect([width, await page.evaluate(FIND_TORN_NAMES)]).toEqual([width, []]);
        }
      },
    );

    test('the pictures of the front page are as wide as a phone allows', async () => {
      await page.setViewportSize({ width: 390, height: 800 });
      await open('index.html');
      const widths = await page
        .locator('.vp-doc picture img')
        .evaluateAll((all) => all.map((image) => (image as unknown as { width: number }).width));
      expect(widths).toHaveLength(2);
      for (const width of widths) expect(width).toBeGreaterThan(300);
    });

    test.each(['index.html', 'docs/guide.html', 'docs/reference/people.html'])(
      '%s passes axe in light and dark, on a screen and on a phone',
      async (name) => {
        for (const [colorScheme, width] of [
          ['light', 1280],
          ['dark', 390],
        ] as const) {
          await page.emulateMedia({ colorScheme });
          await page.setViewportSize({ width, height: 800 });
          await open(name);
          expect(problems).toEqual([]);
          expect([colorScheme, await findViolations(page)]).toEqual([colorScheme, []]);
          expect(await page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth')).toBe(
            true,
          );
        }
        await page.locator('.VPLocalNav .menu').click();
        await page.locator('.VPSidebar.open a').first().waitFor();
      },
    );
  });
});

/** The names and terms of tables that break over two lines. */
const FIND_TORN_NAMES = `[...document.querySelectorAll('.vp-doc td, .vp-doc th')].flatMap((cell) => {
  const broken = [];
  const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
  while (texts.nextNode())
    for (const { 0: word, index } of texts.currentNode.data.matchAll(/\\w+/g)) {
      const range = document.createRange();
      range.setStart(texts.currentNode, index);
      range.setEnd(texts.currentNode, index + word.length);
      const lines = [...range.getClientRects()].filter(({ width }) => width > 0).map(({ top }) => Math.round(top));
      if (new Set(lines).size > 1) broken.push(word);
    }
  return broken;
})`;

function leadsSomewhere(page: string, target: string): boolean {
  const [path = '', anchor = ''] = target.split('#');
  const file = path === '' ? page : relative(DIST, resolve(DIST, dirname(page), decodeURI(path)));
  if (!existsSync(join(DIST, file))) return false;
  return anchor === '' || textOf(file).includes(`id="${decodeURIComponent(anchor)}"`);
}
