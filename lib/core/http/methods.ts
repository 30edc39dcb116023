import type { RequestHandler } from 'express';

import { OAuthError } from '../../shared/errors.js';

/** Answers 405 with the allowed methods. */
export function refuseOtherMethods(...allowed: readonly string[]): RequestHandler {
  return function refuseMethod(req) {
    throw new OAuthError('invalid_request', `this endpoint takes ${allowed.join(' and ')} only`, {
      reason: 'wrong_method',
      status: 405,
      headers: { Allow: allowed.join(', ') },
      detail: `method ${req.method}`,
    });
  };
}
