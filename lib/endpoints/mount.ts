import { type RequestHandler, Router } from 'express';

import type { Server, ServerRouters } from '../server/server.js';
import { basePathOf, mountOf } from '../settings/endpoint-urls.js';
import { createMetadataRouter, MOUNTED_PATHS, wellKnownPaths } from './metadata.js';
import { createResourceMetadata } from './resource-metadata.js';

/** The routers of a server's endpoints, each with a span and a measurement around its requests. */
export function createRouters(server: Server): ServerRouters {
  return Object.fromEntries(
    server.endpoints.map((endpoint) => [
      endpoint.name,
      server.telemetry.instrument(endpoint.name, endpoint.create(server)),
    ]),
  );
}

/**
 * Each endpoint where the options have it, the metadata of the server and its resources at their well-known paths;
 * and what is none of these and comes from somebody who has just logged in.
 */
export function mountEndpoints(
  server: Server,
  { metadata: _atItsWellKnownPath, ...named }: ServerRouters,
  resume: RequestHandler,
): Router {
  const { settings, rendering } = server;
  const belowBasePath = Router();
  const elsewhere = Router();
  for (const [name, router] of Object.entries(named)) {
    if (Object.hasOwn(settings.paths, name)) elsewhere.use(mountOf(settings, name), router);
    else belowBasePath.use(`/${name}`, router);
  }
  belowBasePath.use(rendering.router);
  const wellKnown = metadataAt(MOUNTED_PATHS, server);
  // every request of the site comes by: two looks at its path, one at its cookies, and the host's own go on
  const router = Router().use(basePathOf(settings) || '/', belowBasePath);
  if (Object.keys(settings.paths).length > 0) router.use(elsewhere);
  return router.use(
    (req, res, next) => void (req.path.startsWith('/.well-known/') ? wellKnown(req, res, next) : next()),
    resume,
  );
}

/**
 * The metadata where RFC 8414 §3 and RFC 9728 §3 have it: below the root of the site, wherever the router is
 * mounted.
 */
export function createWellKnown(server: Server): Router {
  return metadataAt(wellKnownPaths(server.settings), server);
}

/** The metadata of the server at these paths, and that of its resources. */
function metadataAt(paths: readonly string[], server: Server): Router {
  return Router().use(
    server.telemetry.instrument('metadata', createMetadataRouter(server, paths), paths),
    createResourceMetadata(server.settings),
  );
}
