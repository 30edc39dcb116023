import { expect, test } from '@jest/globals';

import { createWorkQueue } from '../../lib/limits/work-queue.js';
import { letPass } from '../support/clock.js';

/** Work that is done when it is told. */
function createWork() {
  const begun: string[] = [];
  const ends = new Map<string, { resolve: (name: string) => void; reject: (error: Error) => void }>();
  return {
    begun,
    work: (name: string) => () =>
      new Promise<string>((resolve, reject) => {
        begun.push(name);
        ends.set(name, { resolve, reject });
      }),
    end: (name: string) => ends.get(name)?.resolve(name),
    fail: (name: string) => ends.get(name)?.reject(new Error(name)),
  };
}
const settle = () => new Promise(setImmediate);

test('so many at once, so many wait in their order, the others are told to come back', async () => {
  const { work, begun, end, fail } = createWork();
  const queue = createWorkQueue({ name: 'sums', atOnce: 2, waiting: 2 });
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => queue(work(name)));
  await expect(queue(work('e'))).rejects.toMatchObject({
    error: 'temporarily_unavailable',
    status: 503,
    headers: { 'Retry-After': '5' },
    detail: '2 sums wait already',
  });
  expect(begun).toEqual(['a', 'b']);
  fail('b');
  await expect(b).rejects.toThrow('b');
  await settle();
  expect(begun).toEqual(['a', 'b', 'c']);
  const f = queue(work('f'));
  end('a');
  end('c');
  await settle();
  expect(begun).toEqual(['a', 'b', 'c', 'd', 'f']);
  end('d');
  end('f');
  expect(await Promise.all([a, c, d, f])).toEqual(['a', 'c', 'd', 'f']);
});

test('who has waited too long is refused, and never begun; the others keep their order', async () => {
  const { work, begun, end } = createWork();
  const queue = createWorkQueue({ name: 'sums', atOnce: 1, waiting: 2 });
  const a = queue(work('a'));
  const b = queue(work('b'), 1);
  const c = queue(work('c'), 60_000);
  await expect(b).rejects.toMatchObject({
    status: 503,
    headers: { 'Retry-After': '5' },
    detail: 'it has waited 1 ms among other sums',
  });
  // its place in the line is free again
  const d = queue(work('d'));
  end('a');
  await settle();
  end('c');
  await settle();
  end('d');
  expect(await Promise.all([a, c, d])).toEqual(['a', 'c', 'd']);
  expect(begun).toEqual(['a', 'c', 'd']);
});

test('while the first in the line waits too long nobody joins it; those in it keep their place', async () => {
  const { work, begun, end } = createWork();
  const queue = createWorkQueue({ name: 'sums', atOnce: 1, waiting: 3, mostDelay: 250 });
  const a = queue(work('a'));
  const b = queue(work('b'));
  letPass(0.2);
  const c = queue(work('c'));
  letPass(0.1);
  await expect(queue(work('d'))).rejects.toMatchObject({
    status: 503,
    headers: { 'Retry-After': '5' },
    detail: 'the first of 2 sums waits for more than 250 ms',
  });
  end('a');
  await settle();
  const e = queue(work('e'));
  for (const name of ['b', 'c', 'e']) {
    end(name);
    await settle();
  }
  expect(await Promise.all([a, b, c, e])).toEqual(['a', 'b', 'c', 'e']);
  expect(begun).toEqual(['a', 'b', 'c', 'e']);
});
