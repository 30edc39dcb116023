import type { ErrorContext } from '../../settings/options/on-error.js';
import type { OAuthError } from '../../shared/errors.js';
import { createFoldedRepeats } from './fold-repeats.js';

/** Seconds. */
const WINDOW = 60;
/** How many kinds of unavailability are distinguished in a window. */
const MAX_KINDS = 100;

/** The default of `onError`: errors of the server go to `console.error`. */
export interface ErrorLog {
  readonly write: (error: OAuthError, context: Pick<ErrorContext, 'requestId' | 'endpoint'>) => void;
  /** Writes the counts of what was not written in full. */
  readonly flush: () => void;
}

interface Unavailability {
  readonly endpoint: string;
  readonly requestId?: string;
  readonly detail: string;
  readonly causeName: string;
  readonly cause?: string;
  readonly count?: number;
}

/**
 * Anybody can cause 503 by a burst of requests, and a database that is down causes one for each request: of the same
 * endpoint, detail and kind of cause one line is written in full, and one with a count at the end of the minute.
 */
export function createErrorLog(): ErrorLog {
  // the message of a cause may have an address or a time in it, so its name stands for it
  const repeats = createFoldedRepeats<Unavailability>({
    window: WINDOW,
    unfolded: 1,
    maxKinds: MAX_KINDS,
    kindOf: ({ endpoint, detail, causeName }) => JSON.stringify([endpoint, detail, causeName]),
    coarseKindOf: () => 'other',
    merge: (folded, { endpoint, detail, causeName }) => ({
      endpoint: endpoint === folded.endpoint ? endpoint : '(several endpoints)',
      detail: detail === folded.detail ? detail : '(several details)',
      causeName: causeName === folded.causeName ? causeName : '(several causes)',
    }),
  });
  let timer: NodeJS.Timeout | undefined;

  const stopTimer = (): void => {
    clearTimeout(timer);
    timer = undefined;
  };
  const flush = (): void => {
    stopTimer();
    repeats.end(true).forEach(writeUnavailability);
  };
  const writeFolded = (entry: Unavailability): void => {
    const entries = repeats.add(entry);
    // a window has begun, so the timer of the window before is out of date
    if (entries.some(({ count }) => count !== undefined)) stopTimer();
    if (entries.at(-1) !== entry) {
      timer ??= setTimeout(flush, WINDOW * 1000);
      // a process that has nothing else to do may end
      timer.unref();
    }
    entries.forEach(writeUnavailability);
  };

  return {
    flush,
    write(error, { requestId, endpoint }) {
      if (error.status < 500) return;
      const { cause, detail = '' } = error;
      if (error.error === 'temporarily_unavailable')
        writeFolded({ endpoint, requestId, detail, causeName: nameOf(cause), cause: String(cause) });
      else writeLine(`${endpoint} ${error.error} [${requestId}] ${detail}`, cause ?? error);
    },
  };
}

function writeUnavailability({ endpoint, requestId, detail, causeName, cause, count }: Unavailability): void {
  const start = `${endpoint} temporarily_unavailable`;
  if (count === undefined) writeLine(`${start} [${requestId}] ${detail}`, cause);
  else writeLine(`${start} ${count} more within ${WINDOW} seconds: ${detail}`, causeName);
}

function writeLine(line: string, reason: unknown): void {
  // eslint-disable-next-line no-console -- the one place that logs, and only if the site gave no onError
  console.error(`express-authorization-server: ${line}`, reason);
}

function nameOf(cause: unknown): string {
  return cause instanceof Error ? cause.name : typeof cause;
}
