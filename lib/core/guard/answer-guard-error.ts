import type { ErrorRequestHandler } from 'express';

import { OAuthError } from '../../shared/errors.js';
import { sendJson } from '../http/json-error.js';

/** Answers the guard's refusals as JSON `{ error, error_description }`; other errors go to the next error handler. */
export const answerGuardError: ErrorRequestHandler = (thrown, _req, res, next) => {
  if (!(thrown instanceof OAuthError) || res.headersSent) return next(thrown);
  res.status(thrown.status).set(thrown.headers);
  sendJson(res, { error: thrown.error, error_description: thrown.description });
};
