import { expect, test } from '@jest/globals';

import { createWorkQueue } from '../../../lib/shared/limits/work-queue.js';
import { letPass } from '../../support/clock.js';

/** Work that ends when the test ends it. */
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
/** 5 to 10 seconds. */
const RETRY_AFTER = expect.stringMatching(/^([5-9]|10)$/);
const settle = () => new Promise(setImmediate);

test('a work queue runs some, lets some wait in order, and refuses others for later', async () => {
  const { work, begun, end, fail } = createWork();
  const queue = createWorkQueue({ name: 'sums', atOnce: 2, waiting: 2 });
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => queue.run(work(name)));
  await expect(queue.run(work('e'))).rejects.toMatchObject({
    error: 'temporarily_unavailable',
    status: 503,
    headers: { 'Retry-After': RETRY_AFTER },
    detail: '2 sums wait already',
  });
  expect(begun).toEqual(['a', 'b']);
  fail('b');
  await expect(b).rejects.toThrow('b');
  await settle();
  expect(begun).toEqual(['a', 'b', 'c']);
  const f = queue.run(work('f'));
  end('a');
  end('c');
  await settle();
  expect(begun).toEqual(['a', 'b', 'c', 'd', 'f']);
  end('d');
  end('f');
  expect(await Promise.all([a, c, d, f])).toEqual(['a', 'c', 'd', 'f']);
});

test('concurrently refused work gets different times for its next try', async () => {
  const queue = createWorkQueue({ name: 'sums', atOnce: 1, waiting: 0 });
  void queue.run(() => new Promise(() => undefined));
  const refused = await Promise.allSettled(
    Array.from({ length: 100 }, () => queue.run(() => Promise.resolve())),
  );
  const waits = new Set(
    refused.map((result) => result.status === 'rejected' && Number(result.reason.headers['Retry-After'])),
  );
  expect([...waits].sort((a, b) => Number(a) - Number(b))).toEqual([5, 6, 7, 8, 9, 10]);
});

test('work that waits too long is refused without a start; the others keep their order', async () => {
  const { work, begun, end } = createWork();
  const queue = createWorkQueue({ name: 'sums', atOnce: 1, waiting: 2 });
  const a = queue.run(work('a'));
  const b = queue.run(work('b'), { patience: 1 });
  const c = queue.run(work('c'), { patience: 60_000 });
  await expect(b).rejects.toMatchObject({
    status: 503,
    headers: { 'Retry-After': RETRY_AFTER },
    detail: 'it has waited too long among other sums',
  });
  // its place in the queue is free again
  const d = queue.run(work('d'));
  end('a');
  await settle();
  end('c');
  await settle();
  end('d');
  expect(await Promise.all([a, c, d])).toEqual(['a', 'c', 'd']);
  expect(begun).toEqual(['a', 'c', 'd']);
});

test('work that nobody waits for any more never starts, and its place is free', async () => {
  const { work, begun, end } = createWork();
  const queue = createWorkQueue({ name: 'sums', atOnce: 1, waiting: 1 });
  const [early, late] = [new AbortController(), new AbortController()];
  const a = queue.run(work('a'));
  const b = queue.run(work('b'), { signal: late.signal });
  late.abort();
  await expect(b).rejects.toMatchObject({ error: 'invalid_request', status: 400 });
  early.abort();
  await expect(queue.run(work('c'), { signal: early.signal })).rejects.toMatchObject({ status: 400 });
  const d = queue.run(work('d'));
  end('a');
  await settle();
  end('d');
  expect(await Promise.all([a, d])).toEqual(['a', 'd']);
  expect(begun).toEqual(['a', 'd']);
});

test('a queue whose first waits too long admits nobody, and admitted work keeps its place', async () => {
  const { work, begun, end } = createWork();
  const queue = createWorkQueue({ name: 'sums', atOnce: 1, waiting: 3, maxDelay: 250_000 });
  const a = queue.run(work('a'));
  const b = queue.run(work('b'));
  letPass(200);
  const c = queue.run(work('c'));
  letPass(100);
  expect(() => queue.admit()).toThrow(
    expect.objectContaining({
      status: 503,
      headers: { 'Retry-After': RETRY_AFTER },
      detail: 'the first of the sums in line waits for more than 250000 ms',
    }),
  );
  // the next step of a request that was admitted before
  const d = queue.run(work('d'));
  end('a');
  await settle();
  queue.admit();
  for (const name of ['b', 'c', 'd']) {
    end(name);
    await settle();
  }
  expect(await Promise.all([a, b, c, d])).toEqual(['a', 'b', 'c', 'd']);
  expect(begun).toEqual(['a', 'b', 'c', 'd']);
});

test('a larger queue starts waiting work, and a smaller one ends none', async () => {
  const { work, begun, end } = createWork();
  const queue = createWorkQueue({ name: 'sums', atOnce: 1, waiting: 3 });
  const all = ['a', 'b', 'c', 'd'].map((name) => queue.run(work(name)));
  await settle();
  expect(begun).toEqual(['a']);
  queue.resize(3);
  await settle();
  expect(begun).toEqual(['a', 'b', 'c']);
  queue.resize(1);
  end('a');
  end('b');
  await settle();
  expect(begun).toEqual(['a', 'b', 'c']);
  end('c');
  await settle();
  end('d');
  expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd']);
});
