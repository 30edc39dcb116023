import type { Router } from 'express';

import { createProtectedResourceMetadata } from '../guard/protected-resource.js';
import { isSameResource } from '../protocol/resource.js';
import type { Server } from '../server/server.js';
import type { ResourceOptions } from '../settings/resource-options.js';

/** Publishes the metadata of each resource server, including the site's own API. @see RFC 9728 §3 */
export function createResourceMetadata({
  settings: { resources, issuer, bearerMethods, scopes: all, siteName },
  resourceMetadata: more,
}: Pick<Server, 'settings' | 'resourceMetadata'>): Router {
  const isOwn = (resource: string) => isSameResource(resource, issuer);
  const published: [string, ResourceOptions][] = [...resources];
  if (!published.some(([resource]) => isOwn(resource))) published.unshift([issuer, {}]);
  return createProtectedResourceMetadata(
    published.map(([resource, { scopes = Object.keys(all), name }]) => ({
      resource,
      scopes,
      issuer,
      bearerMethods,
      name: name ?? (isOwn(resource) ? siteName : undefined),
      more,
    })),
    new URL(issuer).origin,
  );
}
