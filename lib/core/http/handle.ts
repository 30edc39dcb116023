import type { NextFunction, Request, RequestHandler, Response } from 'express';

/** An async handler whose rejection reaches the error handler, in Express 4 too. */
export function handle(
  handler: (req: Request, res: Response, next: NextFunction) => Promise<void>,
): RequestHandler {
  return function handleAsync(req, res, next) {
    handler(req, res, next).catch(next);
  };
}

/** A request of a browser, and when it came. */
export interface RequestContext {
  readonly req: Request;
  readonly res: Response;
  readonly now: Date;
}

/** The same for a page, with the moment of the request: everything that it does has this time. */
export function handlePage(
  handler: (req: Request, res: Response, now: Date) => Promise<void>,
): RequestHandler {
  return handle((req, res) => handler(req, res, new Date()));
}
