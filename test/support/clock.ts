import { afterEach } from '@jest/globals';

import { resetClock, shiftClock } from './shifted-clock.js';

let ahead = 0;

/** Moves the clock of this process forward until the test ends, so that no test has to sleep. */
export function letPass(seconds: number): void {
  ahead += seconds * 1000;
  shiftClock(ahead);
}

afterEach(() => {
  ahead = 0;
  resetClock();
});
