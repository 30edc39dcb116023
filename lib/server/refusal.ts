import type { ErrorRequestHandler } from 'express';

import type { OAuthEvents } from '../core/observability/events.js';
import { toOAuthError } from '../shared/errors.js';

/**
 * Emits the event about a caller that was refused for asking too often, and leaves the answer to the next error
 * handler.
 */
export function emitRateLimited(endpoint: string, events: OAuthEvents): ErrorRequestHandler {
  return function emitRateLimitedEvent(thrown, req, _res, next) {
    if (toOAuthError(thrown).status === 429) events.emit('rate.limited', { endpoint }, req);
    next(thrown);
  };
}
