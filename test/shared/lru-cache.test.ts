import { expect, test } from '@jest/globals';

import { createCache } from '../../lib/shared/lru-cache.js';
import { letPass } from '../support/clock.js';

test('what was not used for the longest time goes first', () => {
  const memory = createCache<{ name: string }>({ size: 2 });
  for (const name of ['one', 'two']) memory.set(name, { name });
  memory.get('one');
  memory.set('three', { name: 'three' });
  expect(['one', 'two', 'three'].map((name) => memory.has(name))).toEqual([true, false, true]);
});

test('a value stays for its life, or for one of its own', () => {
  const memory = createCache<true>({ size: 10, ttl: 60 });
  memory.set('short', true, { ttl: 1000 });
  memory.set('usual', true);
  const known = () => ['short', 'usual'].map((name) => memory.get(name) ?? false);
  expect(known()).toEqual([true, true]);
  letPass(1.1);
  expect(known()).toEqual([false, true]);
  letPass(59);
  expect(known()).toEqual([false, false]);
});

test('without a life it stays', () => {
  const memory = createCache<true>({ size: 10 });
  memory.set('one', true);
  letPass(1e6);
  expect(memory.get('one')).toBe(true);
});
