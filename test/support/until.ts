import { setTimeout as delay } from 'node:timers/promises';

/** Waits for an effect of another process or a socket, for as long as the test's timeout allows. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await delay(10);
}
