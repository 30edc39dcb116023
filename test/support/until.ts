import { setTimeout as delay } from 'node:timers/promises';

/** Waits for what another process or a socket does; how long a test may take is its own matter. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await delay(10);
}
