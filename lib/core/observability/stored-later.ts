import type { OnError } from '../../settings/options/on-error.js';
import { unableForTheMoment } from '../../shared/errors.js';
import { notifyHost } from './report.js';

export interface StoredLaterOptions<Entry> {
  /** Milliseconds that an entry waits to be stored. */
  readonly interval: number;
  readonly store: (entry: Entry) => Promise<unknown>;
  /** Called with an entry that could not be stored, which is not tried again. Default: it is given up. */
  readonly onLost?: (entry: Entry) => void;
  readonly onError?: OnError | undefined;
  /** For the site: which endpoint's work failed, and what could not be done. */
  readonly failure: { readonly endpoint: string; readonly detail: string };
}

/** Entries that wait to be stored, by key; no request waits for them or fails because of them. */
export interface StoredLater<Entry> {
  readonly waiting: ReadonlyMap<string, Entry>;
  set(key: string, entry: Entry): void;
  /** Stores what waits, or some of it, one after the other; resolves in any case. */
  readonly flush: (isMeant?: (entry: Entry) => boolean) => Promise<void>;
  /** Stores what waits, and ends; resolves in any case. */
  readonly close: () => Promise<void>;
}

/** Keeps in memory what need not be stored at once, and stores it later. If the process dies, it is lost. */
export function createStoredLater<Entry>({
  interval,
  store,
  onLost,
  onError,
  failure,
}: StoredLaterOptions<Entry>): StoredLater<Entry> {
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
        if (!isFailing)
          notifyHost(onError, unableForTheMoment(failure.detail, cause), {
            requestId: '',
            endpoint: failure.endpoint,
          });
        isFailing = true;
      }
    }
  };

  return {
    waiting,
    flush,
    set(key, entry) {
      waiting.set(key, entry);
      timer ??= setTimeout(() => {
        timer = undefined;
        byTimer = flush();
      }, interval);
      // a process that has nothing else to do may end; `oauth.close()` stores the rest
      timer.unref();
    },
    async close() {
      clearTimeout(timer);
      await Promise.all([byTimer, flush()]);
    },
  };
}
