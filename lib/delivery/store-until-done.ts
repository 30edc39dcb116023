import { createBackoff, pause } from '../shared/limits/backoff.js';

/** Maximum number of waiting messages. */
const CAPACITY = 10_000;
/** Milliseconds between two attempts. */
const FIRST_PAUSE = 500;
const MAX_PAUSE = 60_000;

/**
 * Stores messages that must be sent, whatever fails meanwhile. Each message has its own attempts, so that one which
 * cannot be stored, because of the database or a function of the site, delays no other. Messages that are still not
 * stored at the end of the process are lost.
 *
 * @param what names a message in reports to the site: `an event`
 * @param report called once when a message waits, and once if it is lost
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
    /** Calls `store` until it resolves; resolves after the first attempt, to whether it succeeded. */
    start: (store: () => Promise<unknown>) =>
      new Promise<boolean>((onTried) => {
        if (underway.size >= CAPACITY) {
          report(`${what} is lost: ${CAPACITY} wait to be stored`);
          return onTried(false);
        }
        const stored = storeSoon(store, onTried).finally(() => void underway.delete(stored));
        underway.add(stored);
      }),
    /** Tries waiting messages once more, and resolves afterwards. */
    async close() {
      closing.abort();
      await Promise.all(underway);
    },
  };
}
