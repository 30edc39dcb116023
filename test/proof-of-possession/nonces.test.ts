import { expect, test } from '@jest/globals';

import { createNonces } from '../../lib/core/proof-of-possession/dpop-proof.js';

const nonces = createNonces('a secret');
/** The beginning of a period of two minutes. */
const BEGUN = Date.parse('2030-01-01T00:00:00Z');
const at = (seconds: number) => new Date(BEGUN + seconds * 1000);
const nonce = nonces.current(at(0));

test('RFC 9449 §8 a nonce stays the same for two minutes, in each process with the secret', () => {
  expect(nonces.current(at(119.999))).toBe(nonce);
  expect(createNonces('a secret').current(at(60))).toBe(nonce);
  expect(nonces.current(at(120))).not.toBe(nonce);
  expect(createNonces('another secret').current(at(0))).not.toBe(nonce);
});

test.each([
  ['while it is current', 119, true],
  ['for two further minutes', 239, true],
  ['no longer than that', 240, false],
  ['by a process whose clock is behind', -120, true],
  ['not by a process that is further behind', -121, false],
])('RFC 9449 §8.2 a nonce is accepted %s', (_when, seconds, isFresh) => {
  expect(nonces.isFresh(nonce, at(seconds))).toBe(isFresh);
});

test('RFC 9449 §8.1 a nonce has the characters of an NQCHAR', () => {
  expect(nonce).toMatch(/^[\x21\x23-\x5b\x5d-\x7e]+$/);
});
