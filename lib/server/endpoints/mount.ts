import { type RequestHandler, Router } from 'express';

import { mountedAs } from '../../core/http/mounted-as.js';
import { warnOfHost } from '../../core/http/warn-of-host.js';
import { answerForWholeServer } from '../../core/http/whole-server.js';
import { completeCookieSession } from '../../core/sessions/cookie-session.js';
import { basePathOf, mountOf, otherAddressesOf, pathOf } from '../../settings/endpoint-urls.js';
import type { Endpoint } from '../endpoint.js';
import type { Server, ServerRouters } from '../server.js';
import { notifyIfForgotten } from './forgotten-router.js';
import { createDocumentRouter, createMetadataRouter, mountedPaths, wellKnownPaths } from './metadata.js';
import { refuseTokenRequests } from './refuse-token-requests.js';
import { createResourceMetadata } from './resource-metadata.js';
import { createRootAliases } from './root-aliases.js';

/** The routers of a server's endpoints, each with a span and a measurement around its requests. */
export function createRouters(server: Server): ServerRouters {
  return Object.fromEntries(
    server.endpoints.map((endpoint) => [
      endpoint.name,
      server.telemetry.instrument(endpoint.name, routerOf(endpoint, server)),
    ]),
  );
}

function routerOf({ name, isPage, create }: Endpoint, server: Server): Router {
  const router = create(server);
  if (isPage !== true) return router;
  return Router().use(mountedAs(endpointOf(name)), refuseTokenRequests(server, name), router);
}

function endpointOf(name: string): string {
  return /^\w+$/.test(name) ? `oauth.endpoints.${name}` : `oauth.endpoints['${name}']`;
}

/** The routers that a site mounts. */
export interface MountedRouters {
  /** The endpoints that clients call. */
  readonly clientRouter: Router;
  /** The pages that users see. */
  readonly pageRouter: Router;
  /** Both. */
  readonly router: Router;
}

/**
 * Mounts each endpoint where the options put it, and the metadata of the server and its resources at their well-known
 * paths. Then comes `resume`, for other requests of users who have just logged in.
 */
export function mountEndpoints(
  server: Server,
  routers: ServerRouters,
  resume: RequestHandler,
): MountedRouters {
  const wellKnown = metadataAt(mountedPaths(server), server).use(...documentsAt('', server));
  const answerWellKnown: RequestHandler = (req, res, next) =>
    void (req.path.startsWith('/.well-known/') ? wellKnown(req, res, next) : next());
  // the metadata has its own well-known paths
  const mounted = server.endpoints.filter(({ name }) => name !== 'metadata');
  const mount = (endpoints: readonly Endpoint[], as: string) => mountRouters(server, routers, endpoints, as);
  const clients = mounted.filter(({ isPage }) => isPage !== true);
  const pages = mounted.filter(({ isPage }) => isPage === true);
  const forgotten = (router: string, of: readonly Endpoint[]) =>
    notifyIfForgotten(
      router,
      of.map(({ name }) => pathOf(settings, name)),
    );
  const { settings } = server;
  const aliases = createRootAliases(server, routers, (name) => mountOf(settings, name) === `/${name}`);
  return {
    clientRouter: mount(clients, 'oauth.clientRouter').use(
      answerWellKnown,
      ...aliases,
      forgotten('pageRouter', pages),
    ),
    pageRouter: Router()
      .use(completeCookieSession)
      .use(mount(pages, 'oauth.pageRouter').use(forgotten('clientRouter', clients)), resume),
    router: Router()
      .use(completeCookieSession)
      .use(mount(mounted, 'oauth.router'), answerWellKnown, ...aliases, resume),
  };
}

/** Every request of the site passes here: its path is checked once or twice, and what is not for us goes on. */
function mountRouters(
  { settings, rendering }: Server,
  routers: ServerRouters,
  endpoints: readonly Endpoint[],
  as: string,
): Router {
  const belowBasePath = Router();
  const elsewhere = Router();
  for (const { name, isPage } of endpoints) {
    const handlers = [...(isPage === true ? [mountedAs(as)] : []), routers[name]!];
    if (Object.hasOwn(settings.advanced.paths, name)) elsewhere.use(mountOf(settings, name), ...handlers);
    else belowBasePath.use(`/${name}`, ...handlers);
  }
  if (endpoints.some(({ isPage }) => isPage === true)) belowBasePath.use(rendering.router);
  const router = Router()
    .use(answerForWholeServer())
    .use(basePathOf(settings) || '/', warnOfHost(settings.issuer, otherAddressesOf(settings)), belowBasePath);
  return Object.keys(settings.advanced.paths).length > 0 ? router.use(elsewhere) : router;
}

/**
 * The metadata where RFC 8414 §3 and RFC 9728 §3 put it: below the root of the site, wherever the router is mounted.
 */
export function createWellKnown(server: Server, routers: ServerRouters): Router {
  const { settings } = server;
  const aliases = createRootAliases(server, routers, (name) => pathOf(settings, name) === `/${name}`);
  const documents = documentsAt(settings.issuerPath, server);
  return Router().use(metadataAt(wellKnownPaths(server), server), ...documents, ...aliases);
}

/** The documents of features. Express takes no empty list of handlers. */
function documentsAt(issuerPath: string, server: Server): readonly [RequestHandler, ...RequestHandler[]] {
  const pass: RequestHandler = (_req, _res, next) => next();
  const routers = server.wellKnownDocuments.map(({ path, describe }) =>
    createDocumentRouter(server, [`${path}${issuerPath}`], describe(server)),
  );
  return [pass, ...routers];
}

/** The metadata of the server at these paths, and that of its resources. */
function metadataAt(paths: readonly string[], server: Server): Router {
  return Router().use(
    server.telemetry.instrument('metadata', createMetadataRouter(server, paths), paths),
    createResourceMetadata(server),
  );
}
