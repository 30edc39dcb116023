import type { ErrorContext } from '../../settings/options/on-error.js';
import type { OAuthError } from '../../shared/errors.js';
import { createFoldedRepeats } from './fold-repeats.js';

/** Seconds. */
const WINDOW = 60;
/** Maximum number of kinds of errors in a window. */
const MAX_KINDS = 100;

interface LoggedError {
  readonly endpoint: string;
  readonly code: string;
  readonly requestId?: string;
  readonly detail: string;
  readonly causeName: string;
  readonly cause?: unknown;
  readonly count?: number;
}

/**
 * The default of `onError`: errors of the server go to `console.error`.
 *
 * Anybody who can cause an error can cause it at each request. For errors of the same endpoint, code, detail and kind
 * of cause one line is written in full, and one with a count at the end of the minute.
 */
export function createErrorLog() {
  const repeats = createFoldedRepeats<LoggedError, void>({
    window: WINDOW,
    unfolded: 1,
    maxKinds: MAX_KINDS,
    kindOf: ({ endpoint, code, detail, causeName }) => JSON.stringify([endpoint, code, detail, causeName]),
    coarseKindOf: () => 'other',
    merge: (folded, { endpoint, code, detail, causeName }) => ({
      endpoint: endpoint === folded.endpoint ? endpoint : '(several endpoints)',
      code: code === folded.code ? code : '(several errors)',
      detail: detail === folded.detail ? detail : '(several details)',
      causeName: causeName === folded.causeName ? causeName : '(several causes)',
    }),
    write(entries) {
      for (const { endpoint, code, requestId, detail, causeName, cause, count } of entries) {
        const which = count === undefined ? `[${requestId}]` : `${count} more within ${WINDOW} seconds:`;
        // eslint-disable-next-line no-console -- the one place that logs, and only if the site gave no onError
        console.error(
          `express-authorization-server: ${endpoint} ${code} ${which} ${detail}`,
          count === undefined ? cause : causeName,
        );
      }
    },
  });
  return {
    /** Writes the counts of the repeated errors. */
    flush: () => repeats.end(true),
    write(error: OAuthError, { requestId, endpoint }: ErrorContext) {
      if (error.status < 500) return;
      const { error: code, cause = error, detail = '' } = error;
      // the detail of a 503 says everything, so its cause needs no stack
      const isUnavailable = code === 'temporarily_unavailable';
      const written = isUnavailable ? String(error.cause) : cause;
      // the name of the cause and the place that threw it: its message may contain an address, a time, a client's text
      let causeName: string = typeof error.cause;
      if (error.cause instanceof Error) {
        const [, place = ''] = /\n\s+at (.*)/.exec(error.cause.stack ?? '') ?? [];
        causeName = isUnavailable ? error.cause.name : `${error.cause.name} at ${place}`;
      }
      repeats.add({ endpoint, code, requestId, detail, causeName, cause: written });
    },
  };
}
