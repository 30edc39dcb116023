import { afterEach } from '@jest/globals';

import { type Moment, readClock, resetClock, shiftClock } from './shifted-clock.js';

let ahead = 0;
let stopped: Moment | undefined;

/** Moves the clock of this process forward until the test ends, so that no test has to sleep. */
export function letPass(seconds: number): void {
  ahead += seconds * 1000;
  shiftClock(ahead, stopped);
}

/** Only `letPass` moves the clock of this process until the test ends: a slow machine uses up no limit's time. */
export function stopClock(): void {
  stopped = readClock();
  letPass(0);
}

/** Milliseconds of a limit, and the fate of its timers. */
const limits = new Map<number, { readonly pause: number; readonly works: (() => void)[] }>();
let restoreTimers = (): void => undefined;

/**
 * Timers of exactly this many milliseconds end at once, or only by the returned function, which returns the number of
 * ended timers: then no slow machine reaches the limit. Until the test ends.
 */
export function letLimitEnd(milliseconds: number, when: 'at once' | 'by hand'): () => number {
  const begin = globalThis.setTimeout;
  if (limits.size === 0) {
    restoreTimers = () => void (globalThis.setTimeout = begin);
    globalThis.setTimeout = ((work: () => void, pause = 0) => {
      const limit = limits.get(pause);
      limit?.works.push(work);
      return begin(work, limit?.pause ?? pause);
    }) as typeof setTimeout;
  }
  const works: (() => void)[] = [];
  limits.set(milliseconds, { pause: when === 'by hand' ? 2 ** 31 - 1 : 0, works });
  return () => works.splice(0).map((work) => work()).length;
}

afterEach(() => {
  ahead = 0;
  stopped = undefined;
  resetClock();
  limits.clear();
  restoreTimers();
  restoreTimers = () => undefined;
});
