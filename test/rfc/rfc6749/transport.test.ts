import { expect, test } from '@jest/globals';

import { startLike } from '../../support/site.js';
import { siteFor } from '../../support/site-for.js';

const site = siteFor();

test('§3.1 an issuer without TLS stops the site from starting, with the cure [3.1-4] [3.2-3]', () => {
  expect(() => startLike(site, { issuer: 'http://photos.example' })).toThrow(/issuer.*https:/);
});
