import { expect, test } from '@jest/globals';

import { createBackoff } from '../../../lib/shared/limits/backoff.js';

test('a pause doubles up to the limit, and is short again after a success', () => {
  const backoff = createBackoff(500, 3000);
  expect(Array.from({ length: 5 }, () => backoff.next())).toEqual([500, 1000, 2000, 3000, 3000]);
  backoff.reset();
  expect(backoff.next()).toBe(500);
});
