import { type ErrorRequestHandler, type RequestHandler, Router } from 'express';

import { createApplicationsPages } from '../../pages/applications/applications.js';
import { createAuthorizationsPage } from '../../pages/connected-apps/connected-apps.js';
import { pageErrors } from '../../pages/rendering/page-errors.js';
import { lazy } from '../../shared/lazy.js';
import type { Endpoint, Server } from '../server.js';

/** The pages on which developers register and manage their clients. */
export const applications: Endpoint = {
  name: 'applications',
  isPage: true,
  create: (server) =>
    atFirstRequest(server, 'applications', () => createApplicationsPages({ ...server, ...server.rendering })),
};

/** The page on which users see which apps can use their account, and disconnect them. */
export const authorizations: Endpoint = {
  name: 'authorizations',
  isPage: true,
  create: (server) =>
    atFirstRequest(server, 'authorizations', () =>
      createAuthorizationsPage({ ...server, ...server.rendering }),
    ),
};

/** A router whose pages are made by its first request. If they cannot be made, it answers with an error page. */
function atFirstRequest(server: Server, endpoint: string, create: () => RequestHandler): Router {
  const router = Router();
  const load = lazy(() => router.use(create()));
  const errors: ErrorRequestHandler = pageErrors({
    ...server,
    ...server.rendering,
    endpoint,
    sender: 'person',
  });
  return router
    .use(function loadRoutes(_req, _res, next) {
      load();
      next();
    })
    .use(errors);
}
