import { type Request, Router } from 'express';

import { crossOrigin } from '../http/cross-origin.js';
import type { BearerMethod } from '../protocol/bearer-method.js';

const WELL_KNOWN = '/.well-known/oauth-protected-resource';

/** A resource server as its clients need to know it. */
export interface ProtectedResource {
  readonly resource: string;
  readonly issuer: string;
  readonly scopes: readonly string[] | undefined;
  readonly bearerMethods: readonly BearerMethod[];
  readonly name: string | undefined;
}

/** RFC 9728 §3.1: the well-known path comes between the host and the path of the resource. */
export function protectedResourceMetadataUrl(resource: string): string {
  const { origin, search } = new URL(resource);
  return `${origin}${metadataPath(resource)}${search}`;
}

/**
 * Tells clients which authorization server gives the tokens for a resource.
 *
 * @see RFC 9728 §2, §3
 */
export function createProtectedResourceMetadata(resources: readonly ProtectedResource[]): Router {
  const published = resources.map((resource) => ({
    ...placeOf(resource),
    body: JSON.stringify(describe(resource)),
  }));
  const router = Router();
  const allowOrigins = crossOrigin('GET');
  router.use((req, res, next) => {
    const found = findPlace(published, req);
    if (found === undefined || !['GET', 'HEAD', 'OPTIONS'].includes(req.method)) return next();
    void allowOrigins(req, res, () => {
      res.set('Cache-Control', 'public, max-age=300').type('application/json').send(found.body);
    });
  });
  return router;
}

/** RFC 9728 §2; what has no elements MUST be left out (§3.2). */
function describe({ resource, issuer, scopes, bearerMethods, name }: ProtectedResource): object {
  return {
    resource,
    authorization_servers: [issuer],
    ...(scopes && scopes.length > 0 && { scopes_supported: scopes }),
    bearer_methods_supported: bearerMethods,
    ...(name !== undefined && { resource_name: name }),
  };
}

function metadataPath(resource: string): string {
  const { pathname } = new URL(resource);
  return `${WELL_KNOWN}${pathname === '/' ? '' : pathname}`;
}

/** Where the metadata of a resource is. */
interface Place {
  readonly path: string;
  readonly hostname: string;
}

function placeOf({ resource }: ProtectedResource): Place {
  return { path: metadataPath(resource), hostname: new URL(resource).hostname };
}

/** By its path; the host decides only between resources that the options name with the same path. */
function findPlace<T extends Place>(places: readonly T[], req: Request): T | undefined {
  const samePath = places.filter(({ path }) => path === req.path);
  return samePath.length > 1 ? samePath.find(({ hostname }) => hostname === req.hostname) : samePath[0];
}
