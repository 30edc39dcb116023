import { describe, jest } from '@jest/globals';

import { executablePath } from './launch-chromium.js';

export { launchChromium, type TestBrowser } from './launch-chromium.js';

/**
 * `describe` if a Chromium is found; otherwise the tests count as skipped, and their title says why. A failed test is
 * tried once more, and the first failure printed, because a browser on a busy machine has hiccups.
 */
export function describeInChromium(title: string, tests: () => void): void {
  jest.retryTimes(1, { logErrorsBeforeRetry: true });
  if (executablePath === undefined)
    describe.skip(`${title} (skipped: no Chromium found; install one or set CHROMIUM_PATH)`, tests);
  else describe(title, tests);
}
