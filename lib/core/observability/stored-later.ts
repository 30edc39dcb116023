import type { OnError } from '../../settings/options/on-error.js';
import { createBackgroundReport } from './report.js';

/**
 * Keeps entries in memory, by key, that need not be stored at once, and stores them later: no request waits for them or
 * fails because of them. If the process dies, they are lost.
 */
export function createStoredLater<Entry>(options: {
  /** Milliseconds that an entry waits to be stored. */
  readonly interval: number;
  readonly store: (entry: Entry) => Promise<unknown>;
  /** Called with an entry that could not be stored, which is not tried again. Default: it is given up. */
  readonly onLost?: (entry: Entry) => void;
  readonly onError?: OnError | undefined;
  /** For the site: which endpoint's work failed, and what could not be done. */
  readonly failure: { readonly endpoint: string; readonly detail: string };
}) {
  const { interval, store, onLost, onError, failure } = options;
  const waiting = new Map<string, Entry>();
  let timer: NodeJS.Timeout | undefined;
  let byTimer: Promise<void> = Promise.resolve();
  let isFailing = false;

  const flush = async (isMeant: (entry: Entry) => boolean = () => true): Promise<void> => {
    for (const key of [...waiting.keys()]) {
      const entry = waiting.get(key);
      // another flush may have it by now
      if (entry === undefined || !isMeant(entry)) continue;
      waiting.delete(key);
      try {
        await store(entry);
        isFailing = false;
      } catch (cause) {
        onLost?.(entry);
        // told only when it begins: while the database is down every other request says so
        if (!isFailing) createBackgroundReport(onError, failure.endpoint)(failure.detail, cause);
        isFailing = true;
      }
    }
  };

  return {
    waiting: waiting as ReadonlyMap<string, Entry>,
    /** Stores what waits, or some of it, one after the other; resolves in any case. */
    flush,
    set(key: string, entry: Entry) {
      waiting.set(key, entry);
      timer ??= setTimeout(() => {
        timer = undefined;
        byTimer = flush();
      }, interval);
      // a process that has nothing else to do may end; `oauth.close()` stores the rest
      timer.unref();
    },
    /** Stores what waits, and ends; resolves in any case. */
    close: async () => {
      clearTimeout(timer);
      await Promise.all([byTimer, flush()]);
    },
  };
}
