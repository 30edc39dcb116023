import { type RequestHandler, Router } from 'express';

import { crossOrigin } from '../../core/http/cross-origin.js';
import { jsonError } from '../../core/http/json-error.js';
import { refuseOtherMethods } from '../../core/http/methods.js';
import { urlOf } from '../../settings/endpoint-urls.js';
import { AUTHORIZATION_SERVER_METADATA } from '../../shared/protocol/well-known.js';
import type { Endpoint } from '../endpoint.js';
import type { ServerMetadata } from '../endpoint-of.js';
import type { Server } from '../server.js';

/** The paths where the router itself answers, below its own mount. */
export function mountedPaths({ metadataPaths }: Pick<Server, 'metadataPaths'>): readonly string[] {
  return [AUTHORIZATION_SERVER_METADATA, ...metadataPaths];
}

/** RFC 8414 §2, from the same lists that the endpoints use; each endpoint adds its own members. */
function buildMetadata(server: Server): ServerMetadata {
  const { settings, grantTypes, responseTypes, rendering } = server;
  const scopes = Object.keys(settings.scopes);
  const defaultModes = [...responseTypes.values()].map(({ defaultMode }) => defaultMode);
  const responseModes = [...server.responseModes.values()]
    .filter((mode) => defaultModes.some((defaultMode) => mode.fits(defaultMode)))
    .map(({ responseMode }) => responseMode);
  const ofEndpoints = server.endpoints.map(({ name, metadata: describe }) =>
    describe?.(server, urlOf(settings, name)),
  );
  const described = Object.assign({}, ...ofEndpoints) as ServerMetadata;
  return {
    issuer: settings.issuer,
    // RFC 8414 §3.2: claims with zero elements MUST be omitted; response_types_supported is required anyway (§2)
    ...(scopes.length > 0 && { scopes_supported: scopes }),
    response_types_supported: [...responseTypes.keys()],
    ...(responseModes.length > 0 && { response_modes_supported: responseModes }),
    grant_types_supported: grantTypes.map(({ name }) => name),
    ui_locales_supported: rendering.locales,
    ...(settings.resources.size > 0 && { protected_resources: [...settings.resources.keys()] }),
    ...described,
    ...server.describeFeatures(described),
  };
}

/**
 * Answers the metadata at the paths given, as the router sees them.
 *
 * @see RFC 8414 §3
 */
export function createMetadataRouter(server: Server, paths: readonly string[]): Router {
  return createDocumentRouter(server, paths, buildMetadata(server));
}

/** Answers a document about the server at the paths given, as the router sees them. */
export function createDocumentRouter(server: Server, paths: readonly string[], document: object): Router {
  const body = JSON.stringify(document);
  const refuse = refuseOtherMethods('GET', 'HEAD');
  const router = Router();
  const allowOrigins = crossOrigin('GET');
  const answer: RequestHandler = (req, res, next) => {
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      void refuse(req, res, next);
      return;
    }
    res
      .set({ 'Cache-Control': 'public, max-age=300', 'X-Content-Type-Options': 'nosniff' })
      .type('application/json')
      .send(body);
  };
  // compared as text: an issuer's path may have characters that mean something in a route of Express
  router.use((req, res, next) => {
    if (!paths.includes(req.path)) return next();
    void allowOrigins(req, res, () => void answer(req, res, next));
  });
  router.use(jsonError('metadata', server.report));
  return router;
}

/**
 * Both spellings of the well-known URL for an issuer with a path: RFC 8414 §3.1, and the older one below the
 * path (§5).
 */
export function wellKnownPaths(server: Pick<Server, 'settings' | 'metadataPaths'>): readonly string[] {
  const { issuerPath } = server.settings;
  return mountedPaths(server).flatMap((place) => [`${place}${issuerPath}`, `${issuerPath}${place}`]);
}

/** The metadata, for a site that mounts it itself; `oauth.router` and `oauth.wellKnown` have it where it belongs. */
export const metadata: Endpoint = {
  name: 'metadata',
  create: (server) => createMetadataRouter(server, ['/']),
};
