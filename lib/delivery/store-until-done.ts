import { createBackoff, pause } from '../shared/limits/backoff.js';

/** How much may wait at once. */
const CAPACITY = 10_000;
/** Milliseconds between two tries. */
const FIRST_PAUSE = 500;
const MAX_PAUSE = 60_000;

/**
 * Stores messages that must be told, whatever fails meanwhile. Each message has its own tries, so that one which cannot
 * be stored, because of the database or a function of the site, holds up no other. What is still not stored at the end
 * of the process is lost.
 *
 * @param what names it in messages to the site: `an event`
 * @param report called once when something waits, and once if it is lost
 */
export function createStoreUntilDone(what: string, report: (detail: string, cause?: unknown) => void) {
  const underway = new Set<Promise<void>>();
  const closing = new AbortController();

  const storeSoon = async (
    store: () => Promise<unknown>,
    onTried: (isStored: boolean) => void,
  ): Promise<void> => {
    const backoff = createBackoff(FIRST_PAUSE, MAX_PAUSE);
    for (let isFirst = true; ; isFirst = false) {
      const isLast = closing.signal.aborted;
      try {
        await store();
        return onTried(true);
      } catch (cause) {
        onTried(false);
        if (isLast) return report(`${what} is lost: it could not be stored`, cause);
        if (isFirst) report(`${what} could not be stored; it waits and is stored again`, cause);
      }
      await pause(backoff.next(), closing.signal);
    }
  };

  return {
    /** Calls `store` until it resolves; resolves after the first try, to whether that was enough. */
    start: (store: () => Promise<unknown>) =>
      new Promise<boolean>((onTried) => {
        if (underway.size >= CAPACITY) {
          report(`${what} is lost: ${CAPACITY} wait to be stored`);
          return onTried(false);
        }
        const stored = storeSoon(store, onTried).finally(() => void underway.delete(stored));
        underway.add(stored);
      }),
    /** Tries what waits once more, and resolves when that is over. */
    async close() {
      closing.abort();
      await Promise.all(underway);
    },
  };
}
