import { launchChromium } from '../../support/launch-chromium.js';
import { fixture } from '../../support/site-for.js';
import { startExample } from './example.js';

/** The example without its rate limits, for suites with many logins, and a browser. */
export const exampleInChromium = () => ({
  example: fixture(() => startExample({ environment: { RATE_LIMITS: 'off' } })),
  browser: fixture(launchChromium),
});
