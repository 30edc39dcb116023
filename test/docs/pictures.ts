import { join } from 'node:path';

import mongoose from 'mongoose';
import type { Page } from 'playwright-core';

import { demoUser } from '../../example-app/demo.js';
import type { RunningExample } from '../interop/support/example.js';
import { databaseUri } from '../support/database.js';
import type { TestBrowser } from '../support/launch-chromium.js';
import { root } from './blocks.js';

// The pictures of README.md: pages of the example. `npm run pictures` takes them again, and a test compares them with
// the present pages.

const SCHEMES = ['light', 'dark'] as const;
const SIZE = { width: 900, height: 640 };
/** The date on a picture must not depend on the day on which it is taken. */
const REGISTERED = new Date('2026-01-31T12:00:00Z');

export const FOLDER = join(root, 'docs/pictures');

/** The pictures by their names, `consent-light.png`. */
export async function takePictures(
  example: Pick<RunningExample, 'issuer' | 'shopUrl' | 'database'>,
  browser: Pick<TestBrowser, 'newContext'>,
): Promise<ReadonlyMap<string, Buffer>> {
  await settleDates(example.database);
  const pictures = new Map<string, Buffer>();
  for (const colorScheme of SCHEMES) {
    await using context = await browser.newContext({ viewport: SIZE, colorScheme });
    const page = await context.newPage();
    await page.goto(example.shopUrl);
    await page.click('#print-submit');
    await logIn(page, demoUser);
    await page.locator('#consent-allow').waitFor();
    pictures.set(`consent-${colorScheme}.png`, await page.screenshot());
  }
  const page = await (await browser.newContext({ viewport: SIZE })).newPage();
  await page.goto(example.shopUrl);
  await page.click('#print-submit');
  await logIn(page, demoUser);
  // early clicks decide nothing
  await page.hover('#consent-allow');
  await page.click('#consent-allow');
  await page.waitForURL(`${example.shopUrl}/**`);
  await page.goto(`${example.issuer}/oauth/authorizations`);
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme });
    pictures.set(`connected-apps-${colorScheme}.png`, await page.screenshot());
  }
  await page.context().close();
  return pictures;
}

async function logIn(page: Page, { username, password }: typeof demoUser): Promise<void> {
  await page.fill('#username', username);
  await page.fill('#password', password);
  await page.click('#login-submit');
}

async function settleDates(database: string): Promise<void> {
  const connection = await mongoose.createConnection(databaseUri(database)).asPromise();
  const clients = connection.collection('oauth_clients');
  const all = await clients.find().sort({ _id: 1 }).toArray();
  for (const [index, { _id }] of all.entries())
    await clients.updateOne({ _id }, { $set: { createdAt: new Date(REGISTERED.getTime() + index * 1000) } });
  await connection.close();
}
