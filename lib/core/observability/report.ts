import { randomUUID } from 'node:crypto';

import type { Request, Response } from 'express';

import type { ErrorContext, OnError } from '../../settings/options/on-error.js';
import { type OAuthError, toOAuthError, unableForTheMoment } from '../../shared/errors.js';
import { createErrorLog } from './error-log.js';

/** An error ready for the answer: the site has been told, with the id that the answer shows. */
export interface ReportedError {
  readonly error: OAuthError;
  readonly requestId: string;
}

export type Report = (
  thrown: unknown,
  context: { readonly endpoint: string; readonly req: Request; readonly res: Response },
) => ReportedError;

/** One for the process, as its `console` is. */
const log = createErrorLog();

/** Writes what the default `onError` has only counted so far. */
export const flushErrorLog = log.flush;

/** Tells the site of every error, with its private reason, and marks the answer with the request id. */
export function createReport({
  onError,
  onReport,
}: {
  readonly onError?: OnError | undefined;
  readonly onReport?: OnError;
}): Report {
  return (thrown, { endpoint, req, res }) => {
    const error = toOAuthError(thrown);
    const requestId = requestIdOf(req, res);
    onReport?.(error, { requestId, endpoint, req });
    notifyHost(onError, error, { requestId, endpoint, req });
    return { error, requestId };
  };
}

/** Calls `onError`; a failing hook must not turn an answered error into a hanging request. */
export function notifyHost(onError: OnError | undefined, error: OAuthError, context: ErrorContext): void {
  try {
    (onError ?? log.write)(error, context);
  } catch (hookError) {
    log.write(toOAuthError(hookError), context);
  }
}

/** Tells the site what could not be done in the background, where no request is. */
export function createBackgroundReport(onError: OnError | undefined, endpoint: string) {
  return (detail: string, cause?: unknown): void =>
    notifyHost(onError, unableForTheMoment(detail, cause), { requestId: '', endpoint });
}

const HEADER = 'X-Request-Id';
const PRINTABLE = /^[\x21-\x7e]{1,200}$/;

/**
 * The id of a request, the same for its answer, its error and its events: what the site's own logger gave it (pino-http
 * and the like set `req.id`) or has set in the answer already, otherwise a new one. The answer's header remembers it.
 */
export function requestIdOf(req: Request, res: Response | undefined = req.res): string {
  const known = [(req as { id?: unknown }).id, res?.getHeader(HEADER)].find(
    (value): value is string => typeof value === 'string' && PRINTABLE.test(value),
  );
  const id = known ?? randomUUID();
  if (res !== undefined && !res.headersSent) res.setHeader(HEADER, id);
  return id;
}
