import { OAuthError } from '../errors.js';

/** Does some work at once, lets some more wait, in the order of the calls, and refuses the rest. */
export interface WorkQueue {
  /**
   * Work that has waited for `patience` milliseconds is refused, too, and never begun. Default: it waits for its turn.
   *
   * @throws OAuthError temporarily_unavailable (503, with Retry-After) if too many wait, or too long
   */
  run<T>(work: () => Promise<T>, patience?: number): Promise<T>;
  /**
   * Called before something is begun that will come here more than once: what has begun is finished first.
   *
   * @throws OAuthError temporarily_unavailable (503, with Retry-After) while the first in line waits too long
   */
  admit(): void;
}

export interface WorkQueueOptions {
  /** The name of the work, for the error. */
  readonly name: string;
  readonly atOnce: number;
  /** How many may wait. */
  readonly waiting: number;
  /** Milliseconds that the first in line may have waited while others are admitted. Default: no limit. */
  readonly mostDelay?: number;
}

/** Seconds after which a short queue is empty, whatever waits in it. */
const RETRY_AFTER = 5;

export function createWorkQueue({
  name,
  atOnce,
  waiting,
  mostDelay = Infinity,
}: WorkQueueOptions): WorkQueue {
  /** Since when each one waits. */
  const line = new Map<() => void, number>();
  let running = 0;

  const waitForPlace = (patience: number | undefined): Promise<void> => {
    if (line.size >= waiting) throw busy(`${waiting} ${name} wait already`);
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        clearTimeout(timer);
        line.delete(begin);
        resolve();
      };
      const giveUp = (): void => {
        line.delete(begin);
        reject(busy(`it has waited ${patience} ms among other ${name}`));
      };
      const timer = patience === undefined ? undefined : setTimeout(giveUp, patience);
      line.set(begin, performance.now());
    });
  };
  /** The place goes to the one that has waited longest. */
  const leavePlace = (): void => {
    const [next] = line.keys();
    if (next === undefined) running -= 1;
    else next();
  };

  return {
    async run(work, patience) {
      if (running < atOnce) running += 1;
      else await waitForPlace(patience);
      try {
        return await work();
      } finally {
        leavePlace();
      }
    },
    admit() {
      const [first] = line.values();
      if (first !== undefined && performance.now() - first > mostDelay)
        throw busy(`the first of ${line.size} ${name} waits for more than ${mostDelay} ms`);
    },
  };
}

function busy(detail: string): OAuthError {
  return new OAuthError('temporarily_unavailable', 'the server is busy, please try again in a moment', {
    headers: { 'Retry-After': String(RETRY_AFTER) },
    detail,
  });
}
