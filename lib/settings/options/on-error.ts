import type { Request } from 'express';

import type { OAuthError } from '../../shared/errors.js';

/** What `onError` learns beside the error. */
export interface ErrorContext {
  /** The id that the answer shows (header `X-Request-Id`, error page), so that a report can be found in the log. */
  readonly requestId: string;
  /** The endpoint that failed: `authorize`, `token`, `guard`, `applications`, `login`… */
  readonly endpoint: string;
  /** Absent without a request: when a listener or the audit failed after something that code did. */
  readonly req?: Request;
}

/** Told of every error with its private reason. */
export type OnError = (error: OAuthError, context: ErrorContext) => void;
