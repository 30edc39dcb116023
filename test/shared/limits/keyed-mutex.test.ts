import { expect, test } from '@jest/globals';

import { createKeyedMutex } from '../../../lib/shared/limits/keyed-mutex.js';

/** Work that ends when the test ends it. */
function createWork(done: string[]) {
  const tells = new Map<string, () => void>();
  return {
    work: (name: string) => async () => {
      done.push(`${name} begins`);
      await new Promise<void>((resolve) => tells.set(name, resolve));
      done.push(`${name} ends`);
      return name;
    },
    end: async (name: string) => {
      tells.get(name)?.();
      await new Promise(setImmediate);
    },
  };
}

test('work with one key runs in order, and work with another key beside it', async () => {
  const done: string[] = [];
  const { work, end } = createWork(done);
  const keyedMutex = createKeyedMutex();
  const all = [keyedMutex('a', work('1')), keyedMutex('a', work('2')), keyedMutex('b', work('3'))];
  await new Promise(setImmediate);
  expect(done).toEqual(['1 begins', '3 begins']);
  await end('3');
  await end('1');
  expect(done).toEqual(['1 begins', '3 begins', '3 ends', '1 ends', '2 begins']);
  await end('2');
  expect(await Promise.all(all)).toEqual(['1', '2', '3']);
});

test('failed work lets the next one begin, and rejects for its caller alone', async () => {
  const keyedMutex = createKeyedMutex();
  const failing = keyedMutex('a', () => Promise.reject(new Error('no')));
  const next = keyedMutex('a', () => Promise.resolve('yes'));
  await expect(failing).rejects.toThrow('no');
  expect(await next).toBe('yes');
  expect(await keyedMutex('a', () => Promise.resolve('later'))).toBe('later');
});
