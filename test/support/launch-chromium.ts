import { type Browser, chromium } from 'playwright-core';

import { findChromium } from './find-chromium.js';

/** Switches off what calls home, so that a machine without internet sees no failed connections. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export const executablePath = findChromium();

/** A real browser. */
export function launchChromium(): Promise<Browser> {
  if (executablePath === undefined) throw new Error('no Chromium');
  return chromium.launch({ executablePath, headless: true, args: FLAGS });
}
