import { setTimeout as delay } from 'node:timers/promises';

/** Waits so many milliseconds, or until the signal is aborted; it keeps no process alive. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await delay(milliseconds, undefined, { signal, ref: false }).catch(() => undefined);
}
