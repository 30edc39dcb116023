import type { Router } from 'express';

import { algorithmsFor } from '../clients/client-profile.js';
import { createProtectedResourceMetadata } from '../guard/protected-resource.js';
import { isSameResource } from '../protocol/resource.js';
import type { ResourceOptions } from '../settings/resource-options.js';
import type { Settings } from '../settings/settings.js';

/** What each resource server says of itself, the site's own API among them, published for all. @see RFC 9728 §3 */
export function createResourceMetadata({
  resources,
  issuer,
  bearerMethods,
  scopes: all,
  siteName,
  dpop,
  authorizationDetails,
  mutualTls,
  profile,
}: Settings): Router {
  const isOwn = (resource: string) => isSameResource(resource, issuer);
  const published: [string, ResourceOptions][] = [...resources];
  if (!published.some(([resource]) => isOwn(resource))) published.unshift([issuer, {}]);
  return createProtectedResourceMetadata(
    published.map(([resource, { scopes = Object.keys(all), name }]) => ({
      resource,
      scopes,
      issuer,
      bearerMethods,
      dpop: dpop !== false && dpop.required ? 'required' : dpop !== false,
      authorizationDetailsTypes: [...authorizationDetails.keys()],
      algorithms: algorithmsFor({ profile }),
      certificates: mutualTls !== false,
      name: name ?? (isOwn(resource) ? siteName : undefined),
    })),
    new URL(issuer).origin,
  );
}
