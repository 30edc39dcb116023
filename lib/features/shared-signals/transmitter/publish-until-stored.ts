import { createBackoff, pause } from '../../../shared/limits/backoff.js';
import type { Publish, PublishedSignal } from './publish.js';
import type { ReportFailure } from './report-failure.js';

export interface PublishUntilStoredOptions {
  readonly publish: Publish;
  /** Called once when a signal waits, and once if it is lost. */
  readonly reportFailure: ReportFailure;
}

export interface PublishUntilStored {
  /** Stores a signal; resolves after the first try. */
  start(signal: PublishedSignal): Promise<void>;
  /** Tries what waits once more, and resolves when that is over. */
  close(): Promise<void>;
}

/** How many signals may wait at once. */
const CAPACITY = 10_000;
/** Milliseconds between two tries. */
const FIRST_PAUSE = 500;
const MAX_PAUSE = 60_000;

/**
 * Publishes signals whatever fails meanwhile, the database or the site's function for subjects. Each signal has its own
 * tries, so that one which cannot be stored holds up no other. What is still not stored at the end of the process is
 * lost.
 */
export function createPublishUntilStored({
  publish,
  reportFailure,
}: PublishUntilStoredOptions): PublishUntilStored {
  const underway = new Set<Promise<void>>();
  const closing = new AbortController();

  const storeSoon = async (signal: PublishedSignal, onTried: () => void): Promise<void> => {
    const backoff = createBackoff(FIRST_PAUSE, MAX_PAUSE);
    for (let isFirst = true; ; isFirst = false) {
      const isLast = closing.signal.aborted;
      try {
        await publish(signal);
        return onTried();
      } catch (cause) {
        onTried();
        if (isLast) return reportFailure('an event is lost: it could not be stored for its receivers', cause);
        if (isFirst)
          reportFailure(
            'an event could not be stored for its receivers; it waits and is stored again',
            cause,
          );
      }
      await pause(backoff.next(), closing.signal);
    }
  };

  return {
    start: (signal) =>
      new Promise((onTried) => {
        if (underway.size >= CAPACITY) {
          reportFailure(`an event is lost: ${CAPACITY} events wait to be stored for their receivers`);
          return onTried();
        }
        const stored = storeSoon(signal, onTried).finally(() => void underway.delete(stored));
        underway.add(stored);
      }),
    async close() {
      closing.abort();
      await Promise.all(underway);
    },
  };
}
