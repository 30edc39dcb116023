import type { OnError } from '../../settings/options/on-error.js';
import { createBackgroundReport } from './report.js';

/**
 * Keeps entries in memory by key, and stores them later: no request waits for an entry or fails because of it. If the
 * process dies, waiting entries are lost.
 */
export function createStoredLater<Entry>(options: {
  /** Milliseconds that an entry waits to be stored. */
  readonly interval: number;
  readonly store: (entry: Entry) => Promise<unknown>;
  /** Called with an entry that could not be stored, and is not tried again. Default: the entry is dropped. */
  readonly onLost?: (entry: Entry) => void;
  readonly onError?: OnError | undefined;
  /** For the report to the site: the endpoint whose work failed, and the work. */
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
      // another flush may have taken the entry
      if (entry === undefined || !isMeant(entry)) continue;
      waiting.delete(key);
      try {
        await store(entry);
        isFailing = false;
      } catch (cause) {
        onLost?.(entry);
        // one report for an outage: while the database is down every other request reports it
        if (!isFailing) createBackgroundReport(onError, failure.endpoint)(failure.detail, cause);
        isFailing = true;
      }
    }
  };

  return {
    waiting: waiting as ReadonlyMap<string, Entry>,
    /** Stores the waiting entries, or the selected ones, one after the other. Always resolves. */
    flush,
    set(key: string, entry: Entry) {
      waiting.set(key, entry);
      timer ??= setTimeout(() => {
        timer = undefined;
        byTimer = flush();
      }, interval);
      // the timer does not keep the process alive; `oauth.close()` stores the rest
      timer.unref();
    },
    /** Stores the waiting entries, and stops. Always resolves. */
    close: async () => {
      clearTimeout(timer);
      await Promise.all([byTimer, flush()]);
    },
  };
}
