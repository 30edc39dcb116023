import { expect, test } from '@jest/globals';

import { createNonces } from '../../lib/core/proof-of-possession/dpop-proof.js';

const nonces = createNonces('a secret');
/** The beginning of a step of two minutes. */
const BEGUN = Date.parse('2030-01-01T00:00:00Z');
const at = (seconds: number) => new Date(BEGUN + seconds * 1000);
const nonce = nonces.current(at(0));

test('RFC 9449 §8 the nonce stays the same for two minutes, in each process with the secret', () => {
  expect(nonces.current(at(119.999))).toBe(nonce);
  expect(createNonces('a secret').current(at(60))).toBe(nonce);
  expect(nonces.current(at(120))).not.toBe(nonce);
  expect(createNonces('another secret').current(at(0))).not.toBe(nonce);
});

test.each([
  ['while it is the current one', 119, true],
  ['for two minutes more', 239, true],
  ['no longer', 240, false],
  ['by a process whose clock is behind', -120, true],
  ['by no process that is further behind', -121, false],
])('RFC 9449 §8.2 it is taken %s', (_when, seconds, isFresh) => {
  expect(nonces.isFresh(nonce, at(seconds))).toBe(isFresh);
});

test('RFC 9449 §8.1 it has the characters of an NQCHAR', () => {
  expect(nonce).toMatch(/^[\x21\x23-\x5b\x5d-\x7e]+$/);
});
