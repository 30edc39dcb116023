import { launchChromium, type TestBrowser } from '../../support/launch-chromium.js';
import { type RunningExample, startExample } from './example.js';

export interface ExampleInChromium {
  readonly example: RunningExample;
  readonly browser: TestBrowser;
  readonly close: () => Promise<void>;
}

/** The example without its rate limits, for suites that log in more often than people do, and a browser. */
export async function openExampleInChromium(): Promise<ExampleInChromium> {
  const [example, browser] = await Promise.all([
    startExample({ environment: { RATE_LIMITS: 'off' } }),
    launchChromium(),
  ]);
  return {
    example,
    browser,
    async close() {
      await browser.close();
      await example.close();
    },
  };
}
