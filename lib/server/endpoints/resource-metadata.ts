import type { Router } from 'express';

import { createProtectedResourceMetadata } from '../../core/guard/protected-resource.js';
import type { ResourceOptions } from '../../settings/options/resource-options.js';
import { isSameResource } from '../../shared/protocol/resource.js';
import type { Server } from '../server.js';

/** Publishes the metadata of each resource server, including the site's own API. @see RFC 9728 §3 */
export function createResourceMetadata({
  settings: {
    resources,
    issuer,
    guard: { bearerMethods },
    scopes: all,
    siteName,
  },
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
