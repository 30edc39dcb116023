import { randomUUID } from 'node:crypto';
import type { Request, Response } from 'express';
import { toOAuthError, type OAuthError } from '../errors.js';
import type { Settings } from '../settings.js';

/** An error made ready for the answer: told to the host, with the id that the answer shows. */
export interface ReportedError {
  readonly error: OAuthError;
  readonly requestId: string;
}

export type Report = (thrown: unknown, context: { readonly endpoint: string; readonly req: Request; readonly res: Response }) => ReportedError;

/** Tells the host of every error, with its private reason, and marks the answer with the request id. */
export function createReport({ onError = logServerError }: Pick<Settings, 'onError'>): Report {
  return (thrown, { endpoint, req, res }) => {
    const error = toOAuthError(thrown);
    const requestId = requestIdOf(req);
    res.setHeader('X-Request-Id', requestId);
    try {
      onError(error, { requestId, endpoint, req });
    } catch (hookError) {
      // a failing hook must not turn an answered error into a hanging request
      logServerError(toOAuthError(hookError), { requestId, endpoint });
    }
    return { error, requestId };
  };
}

/** The id that the host's own logger gave the request (pino-http and the like set `req.id`), else a new one. */
function requestIdOf(req: Request): string {
  const id = (req as { id?: unknown }).id;
  return typeof id === 'string' && /^[\x21-\x7e]{1,200}$/.test(id) ? id : randomUUID();
}

function logServerError(error: OAuthError, { requestId, endpoint }: { requestId: string; endpoint: string }): void {
  if (error.status < 500) return;
  // while a database is down every request fails: one line each tells it, a stack each would bury the rest of the log
  const reason = error.error === 'temporarily_unavailable' ? String(error.cause) : (error.cause ?? error);
  // eslint-disable-next-line no-console -- the one place that logs, and only where the host gave no onError
  console.error(`express-authorization-server: ${endpoint} ${error.error} [${requestId}] ${error.detail ?? ''}`, reason);
}
