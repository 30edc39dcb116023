import { setTimeout as delay } from 'node:timers/promises';

/**
 * The pauses between attempts.
 *
 * @param first milliseconds of the first pause
 * @param max milliseconds of the longest pause
 */
export function createBackoff(first: number, max: number) {
  let pause = first;
  return {
    /** Milliseconds until the next attempt: twice as long as before, up to the limit. */
    next() {
      const current = pause;
      pause = Math.min(pause * 2, max);
      return current;
    },
    /** Called after a successful attempt. */
    reset: () => void (pause = first),
  };
}

/** Waits for some milliseconds, or until the signal is aborted; does not keep the process alive. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await delay(milliseconds, undefined, { signal, ref: false }).catch(() => undefined);
}
