import type { NextFunction, Request, RequestHandler, Response } from 'express';

import { invalidRequest } from '../../shared/errors.js';

/** Passes the rejection of an async handler to the error handler, in Express 4 too. */
export function handle(
  handler: (req: Request, res: Response, next: NextFunction) => Promise<void>,
): RequestHandler {
  return function handleAsync(req, res, next) {
    handler(req, res, next).catch(next);
  };
}

export interface RequestContext {
  readonly req: Request;
  readonly res: Response;
  readonly now: Date;
}

/** Handles a page like `handle`, with one time for the whole request. */
export function handlePage(
  handler: (req: Request, res: Response, now: Date) => Promise<void>,
): RequestHandler {
  return handle((req, res) => handler(req, res, new Date()));
}

/** Answers 405 with the allowed methods. */
export function refuseOtherMethods(...allowed: readonly string[]): RequestHandler {
  return function refuseMethod(req) {
    throw invalidRequest(`this endpoint takes ${allowed.join(' and ')} only`, 'wrong_method', {
      status: 405,
      headers: { Allow: allowed.join(', ') },
      detail: `method ${req.method}`,
    });
  };
}

/**
 * Refuses a request at once while earlier requests wait too long (`checkLoad` throws then). So an overloaded process
 * completes the requests that it has begun, and tells other clients to come back later.
 */
export function shedLoad(checkLoad: () => void): RequestHandler {
  return function admitRequest(_req, _res, next) {
    checkLoad();
    next();
  };
}
