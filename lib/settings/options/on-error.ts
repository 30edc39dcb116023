import type { Request } from 'express';

import type { OAuthError } from '../../shared/errors.js';

/** The context of an error for `onError`. */
export interface ErrorContext {
  /** The id in the response (header `X-Request-Id`, error page), which finds the error in the log. */
  readonly requestId: string;
  /** The endpoint that failed: `authorize`, `token`, `guard`, `applications`, `login`… */
  readonly endpoint: string;
  /** Absent without a request, as when a listener or the audit fails after a call from code. */
  readonly req?: Request;
}

/** Called for every error, with its private reason. */
export type OnError = (error: OAuthError, context: ErrorContext) => void;
