import { expect } from '@jest/globals';
import type { BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core';

import type { TestBrowser } from './launch-chromium.js';

const heard = new WeakMap<BrowserContext, string[]>();

/** A page in a new context. */
export async function openWatched(browser: TestBrowser, options?: BrowserContextOptions) {
  const context = await browser.newContext(options);
  const complaints: string[] = [];
  heard.set(context, complaints);
  context.on('console', (message) => {
    if (/Content Security Policy|Permissions|is not defined|Uncaught/i.test(message.text()))
      complaints.push(message.text());
  });
  context.on('weberror', (thrown) => void complaints.push(`Uncaught ${thrown.error().message}`));
  context.on('dialog', (dialog) => void (complaints.push(dialog.message()), dialog.dismiss()));
  return { context, page: await context.newPage() };
}

/** Closes a context. A policy that has blocked something, a script that threw and a dialog fail the test. */
export async function closeWatched(context: BrowserContext | undefined): Promise<void> {
  await context?.close();
  expect(context === undefined ? [] : heard.get(context)).toEqual([]);
}

/** Presses Tab until this has the focus, so that users of a keyboard can reach it. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let steps = 0; steps < 150; steps += 1) {
    if (await target.evaluate((element) => element === element.ownerDocument.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`no Tab leads to ${String(target)} at ${page.url()}`);
}
