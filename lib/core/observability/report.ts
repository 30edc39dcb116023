import { randomUUID } from 'node:crypto';

import type { Request, Response } from 'express';

import type { ErrorContext, OnError } from '../../settings/options/on-error.js';
import { type OAuthError, toOAuthError, unableForTheMoment } from '../../shared/errors.js';
import { createErrorLog } from './error-log.js';

/** An error that was reported to the site, with the request id for the response. */
export interface ReportedError {
  readonly error: OAuthError;
  readonly requestId: string;
}

export type Report = (
  thrown: unknown,
  context: { readonly endpoint: string; readonly req: Request; readonly res: Response },
) => ReportedError;

/** One log for the process, as its `console` is. */
const log = createErrorLog();

/** Writes the errors that the default `onError` has only counted so far. */
export const flushErrorLog = log.flush;

/** Reports every error to the site with its private detail, and sets the request id on the response. */
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

/** Calls `onError`; a failing hook must not leave a request without a response. */
export function notifyHost(onError: OnError | undefined, error: OAuthError, context: ErrorContext): void {
  try {
    (onError ?? log.write)(error, context);
  } catch (hookError) {
    log.write(toOAuthError(hookError), context);
  }
}

/** Reports failures of background work, which has no request. */
export function createBackgroundReport(onError: OnError | undefined, endpoint: string) {
  return (detail: string, cause?: unknown): void =>
    notifyHost(onError, unableForTheMoment(detail, cause), { requestId: '', endpoint });
}

const HEADER = 'X-Request-Id';
const PRINTABLE = /^[\x21-\x7e]{1,200}$/;

/**
 * The id of a request, the same in its response, its error and its events: the id of the site's logger (pino-http and
 * the like set `req.id`) or of the response header, otherwise a new one. The response header stores the id.
 */
export function requestIdOf(req: Request, res: Response | undefined = req.res): string {
  const existing = [(req as { id?: unknown }).id, res?.getHeader(HEADER)].find(
    (value): value is string => typeof value === 'string' && PRINTABLE.test(value),
  );
  const id = existing ?? randomUUID();
  if (res !== undefined && !res.headersSent) res.setHeader(HEADER, id);
  return id;
}
