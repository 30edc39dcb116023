import { setTimeout as delay } from 'node:timers/promises';

/**
 * The pauses between tries of something that fails.
 *
 * @param first milliseconds of the first pause
 * @param max milliseconds that a pause may take
 */
export function createBackoff(first: number, max: number) {
  let pause = first;
  return {
    /** Milliseconds until the next try: twice as long as before, up to the limit. */
    next() {
      const current = pause;
      pause = Math.min(pause * 2, max);
      return current;
    },
    /** Called after a try that succeeded. */
    reset: () => void (pause = first),
  };
}

/** Waits so many milliseconds, or until the signal is aborted; it keeps no process alive. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await delay(milliseconds, undefined, { signal, ref: false }).catch(() => undefined);
}
