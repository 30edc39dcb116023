import { expect, test } from '@jest/globals';

import { startLike } from '../../support/site.js';
import { siteFor } from '../../support/site-for.js';

const site = siteFor();

test('§3.1 the server does not start with an issuer without TLS [3.1-4] [3.2-3]', () => {
  expect(() => startLike(site, { issuer: 'http://photos.example' })).toThrow(/issuer.*https:/);
});
