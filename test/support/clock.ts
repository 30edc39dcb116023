import { afterEach } from '@jest/globals';

import { resetClock, shiftClock } from './shifted-clock.js';

let ahead = 0;

/** Moves the clock of this process on, until the test ends: what would have to sleep need not. */
export function letPass(seconds: number): void {
  ahead += seconds * 1000;
  shiftClock(ahead);
}

afterEach(() => {
  ahead = 0;
  resetClock();
});
