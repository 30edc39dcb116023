import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';

import { debuggerOf } from './launch-chromium.js';

const AXE = readFileSync(
  createRequire(join(process.cwd(), 'package.json')).resolve('axe-core/axe.min.js'),
  'utf8',
);
const ARTIFACTS = join(process.cwd(), 'test-artifacts', 'pages');
const LOOKS = [
  { width: 360, height: 740, colorScheme: 'light' },
  { width: 1280, height: 800, colorScheme: 'dark' },
] as const;

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** The findings of axe-core on the page. It runs by the debugger, which no CSP blocks. */
export async function findViolations(page: Page): Promise<string[]> {
  const session = await debuggerOf(page);
  const options = JSON.stringify({ resultTypes: ['violations'] });
  const { result: known } = await session.send('Runtime.evaluate', { expression: 'typeof axe' });
  if (known.value === 'undefined') await session.send('Runtime.evaluate', { expression: AXE });
  const { result } = await session.send('Runtime.evaluate', {
    expression: `axe.run(document, ${options}).then(({ violations }) => JSON.stringify(violations))`,
    awaitPromise: true,
    returnByValue: true,
  });
  return (JSON.parse(String(result.value)) as Violation[]).flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}

/**
 * Checks the requirements of every page, and takes pictures of it. Each width and each colour scheme is checked only
 * once, because no rule of our styles is for a width and a scheme together.
 */
export async function expectGoodPage(page: Page, name: string): Promise<void> {
  mkdirSync(ARTIFACTS, { recursive: true });
  for (const { colorScheme, ...size } of LOOKS) {
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme });
    const where = `${name}-${size.width}-${colorScheme}`;
    // nobody looks at pictures of CI
    if (!process.env.CI) await page.screenshot({ path: join(ARTIFACTS, `${where}.png`), fullPage: true });
    const violations = await findViolations(page);
    expect([where, violations]).toEqual([where, []]);
    const { scrollWidth, clientWidth } = await page.evaluate(() => {
      const { documentElement } = (
        globalThis as unknown as {
          document: { documentElement: { scrollWidth: number; clientWidth: number } };
        }
      ).document;
      return { scrollWidth: documentElement.scrollWidth, clientWidth: documentElement.clientWidth };
    });
    expect([where, scrollWidth <= clientWidth]).toEqual([where, true]);
  }
  await page.emulateMedia({ colorScheme: 'light' });
}
