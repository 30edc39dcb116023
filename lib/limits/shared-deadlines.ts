import { setMaxListeners } from 'node:events';

/** Does something that may take at most this many milliseconds; `signal` ends it if it is late. */
export type WithinDeadline = <T>(
  milliseconds: number,
  work: (signal: AbortSignal) => PromiseLike<T>,
  late: () => Error,
) => Promise<T>;

/** A moment by which work must be done, or is late. */
interface Deadline {
  readonly at: number;
  readonly abort: AbortController;
  /** Tells those who still wait. */
  readonly waiting: Set<() => void>;
  timer?: NodeJS.Timeout;
}

/** The part of its time by which work may count as late too early. */
const SLACK = 0.01;

/**
 * Deadlines for much work at a time: work that begins at almost the same moment shares one timer and one signal. With
 * its own, and the listeners that the driver has for a read, each took 10 µs of CPU; now it takes 7.
 */
export function createSharedDeadlines(): WithinDeadline {
  let newest: Deadline | undefined;

  const end = (deadline: Deadline): void => {
    clearTimeout(deadline.timer);
    if (newest === deadline) newest = undefined;
  };
  const open = (at: number, milliseconds: number): Deadline => {
    const deadline: Deadline = { at, abort: new AbortController(), waiting: new Set() };
    // there are as many listeners as there is work
    setMaxListeners(0, deadline.abort.signal);
    deadline.timer = setTimeout(() => {
      end(deadline);
      for (const giveUp of deadline.waiting) giveUp();
      deadline.abort.abort();
    }, milliseconds);
    return deadline;
  };
  const join = (milliseconds: number): Deadline => {
    const at = performance.now() + milliseconds;
    if (newest === undefined || newest.at > at || at - newest.at > milliseconds * SLACK)
      newest = open(at, milliseconds);
    return newest;
  };

  return (milliseconds, work, late) =>
    new Promise((resolve, reject) => {
      const deadline = join(milliseconds);
      const giveUp = (): void => reject(late());
      deadline.waiting.add(giveUp);
      const leave = (): void => {
        deadline.waiting.delete(giveUp);
        if (deadline.waiting.size === 0) end(deadline);
      };
      const fail = (error: Error): void => {
        leave();
        reject(error);
      };
      try {
        work(deadline.abort.signal).then((value) => {
          leave();
          resolve(value);
        }, fail);
      } catch (error) {
        fail(error as Error);
      }
    });
}
