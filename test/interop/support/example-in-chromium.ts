import { launchChromium } from '../../support/launch-chromium.js';
import { fixture } from '../../support/site-for.js';
import { startExample } from './example.js';

/** The example without its rate limits, for suites that log in more often than people do, and a browser. */
export const exampleInChromium = () => ({
  example: fixture(() => startExample({ environment: { RATE_LIMITS: 'off' } })),
  browser: fixture(launchChromium),
});
