import type { NextFunction, Request, RequestHandler, Response } from 'express';

/** An async handler whose rejection reaches the error handler, in Express 4 too. */
export function handle(
  handler: (req: Request, res: Response, next: NextFunction) => Promise<void>,
): RequestHandler {
  return function handleAsync(req, res, next) {
    handler(req, res, next).catch(next);
  };
}
