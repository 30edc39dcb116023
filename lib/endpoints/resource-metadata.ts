import type { Router } from 'express';

import { createProtectedResourceMetadata } from '../guard/protected-resource.js';
import type { Settings } from '../settings/settings.js';

/** What each resource server says of itself, published for all of them. @see RFC 9728 §3 */
export function createResourceMetadata({ resources, issuer, bearerMethods, scopes: all }: Settings): Router {
  return createProtectedResourceMetadata(
    [...resources].map(([resource, { scopes = Object.keys(all), name }]) => ({
      resource,
      scopes,
      issuer,
      bearerMethods,
      name,
    })),
  );
}
