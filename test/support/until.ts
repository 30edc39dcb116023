import { setTimeout as delay } from 'node:timers/promises';

/** Waits for something that another process or a socket does, for as long as the test's own timeout allows. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await delay(10);
}
