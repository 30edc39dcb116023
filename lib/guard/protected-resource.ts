import { Router, type Request } from 'express';
import { crossOrigin } from '../http/cross-origin.js';
import type { BearerMethod } from './bearer-token.js';

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
  const router = Router();
  const allowOrigins = crossOrigin('GET');
  router.use((req, res, next) => {
    const found = ['GET', 'HEAD', 'OPTIONS'].includes(req.method) ? findResource(resources, req) : undefined;
    if (found === undefined) return next();
    void allowOrigins(req, res, () => {
      res.set('Cache-Control', 'public, max-age=300').type('application/json').send(JSON.stringify(describe(found)));
    });
  });
  return router;
}

/** RFC 9728 §2; what has no elements MUST be left out (§3.2). */
function describe({ resource, issuer, scopes, bearerMethods, name }: ProtectedResource): object {
  return { resource, authorization_servers: [issuer], ...(scopes && scopes.length > 0 && { scopes_supported: scopes }), bearer_methods_supported: bearerMethods, ...(name !== undefined && { resource_name: name }) };
}

function metadataPath(resource: string): string {
  const { pathname } = new URL(resource);
  return `${WELL_KNOWN}${pathname === '/' ? '' : pathname}`;
}

/** By its path; the host decides only between resources that the options name with the same path. */
function findResource(resources: readonly ProtectedResource[], req: Request): ProtectedResource | undefined {
  const samePath = resources.filter(({ resource }) => metadataPath(resource) === req.path);
  return samePath.length > 1 ? samePath.find(({ resource }) => new URL(resource).hostname === req.hostname) : samePath[0];
}
