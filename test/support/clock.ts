import { afterEach } from '@jest/globals';

import { resetClock, shiftClock } from './shifted-clock.js';

let ahead = 0;

/** Moves the clock of this process forward until the test ends, so that no test has to sleep. */
export function letPass(seconds: number): void {
  ahead += seconds * 1000;
  shiftClock(ahead);
}

/** Milliseconds of a limit, and how long its timer runs instead. */
const limits = new Map<number, number>();
let restoreTimers = (): void => undefined;

/**
 * Timers of exactly this many milliseconds end at once, or never: then no slow machine reaches the limit. Until the test
 * ends.
 */
export function letLimitEnd(milliseconds: number, when: 'at once' | 'never'): void {
  const begin = globalThis.setTimeout;
  if (limits.size === 0) {
    restoreTimers = () => void (globalThis.setTimeout = begin);
    globalThis.setTimeout = ((work: () => void, pause = 0) =>
      begin(work, limits.get(pause) ?? pause)) as typeof setTimeout;
  }
  limits.set(milliseconds, when === 'never' ? 2 ** 31 - 1 : 0);
}

afterEach(() => {
  ahead = 0;
  resetClock();
  limits.clear();
  restoreTimers();
});
