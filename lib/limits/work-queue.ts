import { OAuthError } from '../errors.js';

/** Does some work at once, lets some more wait, in the order of its calls, and refuses the rest. */
export type WorkQueue = <T>(work: () => Promise<T>) => Promise<T>;

export interface WorkQueueOptions {
  /** What is done, for the error. */
  readonly name: string;
  readonly atOnce: number;
  /** How many may wait. */
  readonly waiting: number;
}

/** Seconds until which a short queue is empty, whatever waits in it. */
const RETRY_AFTER = 5;

/** The queue itself throws OAuthError temporarily_unavailable (503, with Retry-After) if too many wait. */
export function createWorkQueue({ name, atOnce, waiting }: WorkQueueOptions): WorkQueue {
  const line: (() => void)[] = [];
  let running = 0;

  const takePlace = (): Promise<void> => {
    if (running < atOnce) {
      running += 1;
      return Promise.resolve();
    }
    if (line.length >= waiting)
      throw new OAuthError('temporarily_unavailable', 'the server is busy, please try again in a moment', {
        headers: { 'Retry-After': String(RETRY_AFTER) },
        detail: `${waiting} ${name} wait already`,
      });
    return new Promise((resolve) => line.push(resolve));
  };
  /** The place goes on to who waits for the longest time. */
  const leavePlace = (): void => {
    const next = line.shift();
    if (next === undefined) running -= 1;
    else next();
  };

  return async (work) => {
    await takePlace();
    try {
      return await work();
    } finally {
      leavePlace();
    }
  };
}
