import type { Request, Response } from 'express';

import { type OAuthError, toOAuthError } from '../errors.js';
import type { ErrorContext, OnError } from '../settings/on-error.js';
import { requestIdOf } from './request-id.js';

/** An error ready for the answer: the host has been told, with the id that the answer shows. */
export interface ReportedError {
  readonly error: OAuthError;
  readonly requestId: string;
}

export type Report = (
  thrown: unknown,
  context: { readonly endpoint: string; readonly req: Request; readonly res: Response },
) => ReportedError;

/** Tells the host of every error, with its private reason, and marks the answer with the request id. */
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
    tellHost(onError, error, { requestId, endpoint, req });
    return { error, requestId };
  };
}

/** Calls `onError`; a failing hook must not turn an answered error into a hanging request. */
export function tellHost(onError: OnError | undefined, error: OAuthError, context: ErrorContext): void {
  try {
    (onError ?? logServerError)(error, context);
  } catch (hookError) {
    logServerError(toOAuthError(hookError), context);
  }
}

function logServerError(
  error: OAuthError,
  { requestId, endpoint }: { requestId: string; endpoint: string },
): void {
  if (error.status < 500) return;
  // while a database is down every request fails: one line each is enough, a stack each would bury the rest of the log
  const reason = error.error === 'temporarily_unavailable' ? String(error.cause) : (error.cause ?? error);
  // eslint-disable-next-line no-console -- the one place that logs, and only if the host gave no onError
  console.error(
    `express-authorization-server: ${endpoint} ${error.error} [${requestId}] ${error.detail ?? ''}`,
    reason,
  );
}
