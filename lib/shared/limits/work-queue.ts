import { randomInt } from 'node:crypto';

import { invalidRequest, OAuthError } from '../errors.js';

/** Runs some work at once, queues more in the order of the calls, and refuses the rest. */
export interface WorkQueue {
  /**
   * Work that has waited too long, or that nobody waits for any more, is refused without a start.
   *
   * @throws OAuthError temporarily_unavailable (503, with Retry-After) if the queue is full, or the wait too long;
   * invalid_request if the signal is aborted before the work began
   */
  run<T>(work: () => Promise<T>, waiting?: Waiting): Promise<T>;
  /**
   * Called before a request that will need the queue several times: earlier requests come first.
   *
   * @throws OAuthError temporarily_unavailable (503, with Retry-After) while the first in the queue waits too long
   */
  admit(): void;
  /** Changes how much work runs at once. Running work continues. */
  resize(atOnce: number): void;
}

/** How long work may wait in the queue. */
export interface Waiting {
  /** Milliseconds. Default: no limit. */
  readonly patience?: number | undefined;
  /** Aborted when nobody waits any more. Default: never. */
  readonly signal?: AbortSignal | undefined;
}

/** Seconds after which a short queue is empty. `Retry-After` is up to twice as many, to spread the returns. */
const RETRY_AFTER = 5;

export function createWorkQueue(options: {
  /** The name of the work, for the error. */
  readonly name: string;
  /** How many pieces of work run at once, until `resize`. */
  readonly atOnce: number;
  /** How many may wait. */
  readonly waiting: number;
  /** Milliseconds for which the first in the queue may have waited while others are admitted. Default: no limit. */
  readonly maxDelay?: number;
}): WorkQueue {
  const { name, atOnce, waiting, maxDelay = Infinity } = options;
  /** The start of each wait. */
  const line = new Map<() => void, number>();
  let places = atOnce;
  let running = 0;

  const waitForPlace = ({ patience, signal }: Waiting): Promise<void> => {
    if (line.size >= waiting) throw busy(`${waiting} ${name} wait already`);
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        line.delete(begin);
      };
      const begin = (): void => {
        leave();
        resolve();
      };
      const abort = (): void => {
        leave();
        reject(abandoned());
      };
      const timer =
        patience === undefined
          ? undefined
          : setTimeout(() => {
              leave();
              reject(busy(`it has waited too long among other ${name}`));
            }, patience);
      signal?.addEventListener('abort', abort);
      line.set(begin, performance.now());
    });
  };
  /** Free places go to the longest waiting first. */
  const fillPlaces = (): void => {
    for (const next of line.keys()) {
      if (running >= places) return;
      running += 1;
      next();
    }
  };

  return {
    async run(work, how = {}) {
      if (how.signal?.aborted === true) throw abandoned();
      if (running < places) running += 1;
      else await waitForPlace(how);
      try {
        return await work();
      } finally {
        running -= 1;
        if (line.size > 0) fillPlaces();
      }
    },
    admit() {
      const [first] = line.values();
      if (first !== undefined && performance.now() - first > maxDelay)
        throw busy(`the first of the ${name} in line waits for more than ${maxDelay} ms`);
    },
    resize(changed) {
      places = changed;
      fillPlaces();
    },
  };
}

/** Nobody receives this error, and it is no failure of the server. */
function abandoned(): OAuthError {
  return invalidRequest('the connection was closed before the answer', 'request_malformed');
}

/** The detail has no changing number: the log folds equal lines into one. */
function busy(detail: string): OAuthError {
  return new OAuthError('temporarily_unavailable', 'the server is busy, please try again in a moment', {
    headers: { 'Retry-After': String(randomInt(RETRY_AFTER, 2 * RETRY_AFTER + 1)) },
    detail,
  });
}
