import { expect, test } from '@jest/globals';

import { createCache } from '../../lib/shared/lru-cache.js';
import { letPass } from '../support/clock.js';

test('the least recently used value is evicted first', () => {
  const memory = createCache<{ name: string }>({ size: 2 });
  for (const name of ['one', 'two']) memory.set(name, { name });
  memory.get('one');
  memory.set('three', { name: 'three' });
  expect(['one', 'two', 'three'].map((name) => memory.has(name))).toEqual([true, false, true]);
});

test('a value stays for the life of the cache, or for its separate life', () => {
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

test('a value without a life stays', () => {
  const memory = createCache<true>({ size: 10 });
  memory.set('one', true);
  letPass(1e6);
  expect(memory.get('one')).toBe(true);
});
