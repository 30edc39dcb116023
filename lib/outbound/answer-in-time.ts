import { withDeadline } from '../limits/deadline.js';

/**
 * An answer of another server, within this many milliseconds.
 *
 * @throws Error named TimeoutError, or what `ask` throws
 */
export function answerInTime<T>(milliseconds: number, ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
  return withDeadline(
    milliseconds,
    ask,
    () => new DOMException(`timeout: no answer in ${milliseconds} ms`, 'TimeoutError'),
  );
}
