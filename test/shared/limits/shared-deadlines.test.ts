import { expect, test } from '@jest/globals';

import { createSharedDeadlines } from '../../../lib/shared/limits/shared-deadlines.js';

const late = () => new Error('late');
const never = () => new Promise<never>(() => undefined);
/** Ends only through its signal, like a command whose connection is closed. */
const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('aborted')));
  });

test('work that is done gives its value, work that fails its error, also at once', async () => {
  const within = createSharedDeadlines(late);
  await expect(within(1000, () => Promise.resolve('done'))).resolves.toBe('done');
  await expect(within(1000, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  const throwing = () => {
    throw new Error('thrown');
  };
  await expect(within(1000, throwing)).rejects.toThrow('thrown');
});

test('all that is late is told so, and has its signal; what is done by then keeps its value', async () => {
  const within = createSharedDeadlines(late);
  const signals: AbortSignal[] = [];
  const works = [never, untilAborted, () => Promise.resolve('done')].map((work) =>
    within(20, (signal) => {
      signals.push(signal);
      return work(signal);
    }),
  );
  const results = await Promise.allSettled(works);
  expect(
    results.map((result) => (result.status === 'fulfilled' ? result.value : String(result.reason))),
  ).toEqual(['Error: late', 'Error: late', 'done']);
  expect(signals.slice(0, 2).map(({ aborted }) => aborted)).toEqual([true, true]);
});

test('what begins at the same time shares a signal; what may take longer, or comes after the last is done, does not', async () => {
  const within = createSharedDeadlines(late);
  const signalOf = (milliseconds: number, work: () => Promise<unknown> = () => Promise.resolve()) => {
    let given: AbortSignal | undefined;
    const done = within(milliseconds, (signal) => {
      given = signal;
      return work();
    });
    return { signal: given, done };
  };
  const [a, b] = [signalOf(100_000), signalOf(100_000)];
  const c = signalOf(200_000);
  expect(b.signal).toBe(a.signal);
  expect(c.signal).not.toBe(a.signal);
  await Promise.all([a.done, b.done, c.done]);
  const d = signalOf(200_000);
  expect(d.signal).not.toBe(c.signal);
  await d.done;
  expect(a.signal?.aborted).toBe(false);
});

test('many at a time are no leak to warn of', async () => {
  const warnings: string[] = [];
  const note = ({ name }: Error) => void warnings.push(name);
  process.on('warning', note);
  const within = createSharedDeadlines(late);
  const listen = (signal: AbortSignal) => {
    signal.addEventListener('abort', () => undefined);
    return Promise.resolve();
  };
  await Promise.all(Array.from({ length: 50 }, () => within(1000, listen)));
  await new Promise(setImmediate);
  process.off('warning', note);
  expect(warnings).toEqual([]);
});
