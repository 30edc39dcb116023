import { type ErrorRequestHandler, type RequestHandler, Router } from 'express';

import { lazy } from '../../shared/lazy.js';

/**
 * A router whose routes are made by its first request.
 *
 * @param errors answers if they cannot be made
 */
export function createLazyRouter(create: () => RequestHandler, errors: ErrorRequestHandler): Router {
  const router = Router();
  const load = lazy(() => router.use(create()));
  return router
    .use(function loadRoutes(_req, _res, next) {
      load();
      next();
    })
    .use(errors);
}
