import { Router } from 'express';

import { createProtectedResourceMetadata } from '../../core/guard/protected-resource.js';
import { crossOrigin } from '../../core/http/cross-origin.js';
import { refuseOtherMethods } from '../../core/http/handle.js';
import { jsonError } from '../../core/http/json-error.js';
import { urlOf } from '../../settings/endpoint-urls.js';
import type { ResourceOptions } from '../../settings/options/resource-options.js';
import { isSameResource } from '../../shared/protocol/resource.js';
import type { Endpoint, Server, ServerMetadata } from '../server.js';

/**
 * Answers the metadata at these paths, as the router sees them. The metadata come from the lists that the endpoints
 * use, and each endpoint adds its own members.
 *
 * @see RFC 8414 §2, §3
 */
export function createMetadataRouter(server: Server, paths: readonly string[]): Router {
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
  return createDocumentRouter(server, paths, {
    issuer: settings.issuer,
    // RFC 8414 §3.2: claims with zero elements MUST be omitted; response_types_supported is required anyway (§2)
    scopes_supported: scopes.length > 0 ? scopes : undefined,
    response_types_supported: [...responseTypes.keys()],
    response_modes_supported: responseModes.length > 0 ? responseModes : undefined,
    grant_types_supported: grantTypes.map(({ name }) => name),
    ui_locales_supported: rendering.locales,
    protected_resources: settings.resources.size > 0 ? [...settings.resources.keys()] : undefined,
    ...described,
    ...server.describeFeatures(described),
  });
}

/** Answers a document about the server at these paths, as the router sees them. */
export function createDocumentRouter(server: Server, paths: readonly string[], document: object): Router {
  const body = JSON.stringify(document);
  const refuse = refuseOtherMethods('GET', 'HEAD');
  const allowOrigins = crossOrigin('GET');
  const router = Router();
  // compared as text: an issuer's path may have characters with a meaning in Express routes
  router.use((req, res, next) => {
    if (!paths.includes(req.path)) return next();
    void allowOrigins(req, res, () => {
      if (req.method !== 'GET' && req.method !== 'HEAD') return void refuse(req, res, next);
      res
        .set({ 'Cache-Control': 'public, max-age=300', 'X-Content-Type-Options': 'nosniff' })
        .type('application/json')
        .send(body);
    });
  });
  router.use(jsonError('metadata', server.report));
  return router;
}

/** The metadata, for a site that mounts endpoints itself; `oauth.router` and `oauth.wellKnown` have them, too. */
export const metadata: Endpoint = {
  name: 'metadata',
  create: (server) => createMetadataRouter(server, ['/']),
};

/** Publishes the metadata of each resource server, including the site's own API. @see RFC 9728 §3 */
export function createResourceMetadata({ settings, resourceMetadata: more }: Server): Router {
  const { resources, issuer, guard, siteName } = settings;
  const isOwn = (resource: string) => isSameResource(resource, issuer);
  const published: [string, ResourceOptions][] = [...resources];
  if (!published.some(([resource]) => isOwn(resource))) published.unshift([issuer, {}]);
  return createProtectedResourceMetadata(
    published.map(([resource, { scopes = Object.keys(settings.scopes), name }]) => ({
      resource,
      scopes,
      issuer,
      bearerMethods: guard.bearerMethods,
      name: name ?? (isOwn(resource) ? siteName : undefined),
      more,
    })),
    new URL(issuer).origin,
  );
}
