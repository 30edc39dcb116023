import { describe, jest } from '@jest/globals';
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

const executablePath = findChromium();

/** A real browser. */
export function launchChromium(): Promise<Browser> {
  if (executablePath === undefined) throw new Error('no Chromium');
  return chromium.launch({ executablePath, headless: true, args: FLAGS });
}

/**
 * `describe` where a Chromium is found; else the tests count as skipped, and their title says why.
 * A failed test is tried once more, and the first failure printed: a browser on a busy machine has hiccups of its own.
 */
export function describeInChromium(title: string, tests: () => void): void {
  jest.retryTimes(1, { logErrorsBeforeRetry: true });
  if (executablePath === undefined)
    describe.skip(`${title} (skipped: no Chromium found; install one or set CHROMIUM_PATH)`, tests);
  else describe(title, tests);
}
