import { type Request, Router } from 'express';

import type { BearerMethod } from '../../shared/protocol/bearer-method.js';
import { crossOrigin } from '../http/cross-origin.js';

const WELL_KNOWN = '/.well-known/oauth-protected-resource';

/** What clients need to know of a resource server. */
export interface ProtectedResource {
  readonly resource: string;
  readonly issuer: string;
  readonly scopes: readonly string[] | undefined;
  readonly bearerMethods: readonly BearerMethod[];
  readonly name: string | undefined;
  /** Further members of its metadata (RFC 9728 §2). */
  readonly more: Readonly<Record<string, unknown>>;
}

/** Says that it takes tokens that are bound to a key, or even only those (RFC 9449). */
export function describeBoundToKeys(options: {
  readonly isRequired: boolean;
  /** The algorithms that sign proofs. */
  readonly algorithms: readonly string[];
}): ProtectedResource['more'] {
  return {
    dpop_signing_alg_values_supported: options.algorithms,
    ...(options.isRequired && { dpop_bound_access_tokens_required: true }),
  };
}

/** Says that it takes tokens that are bound to a certificate (RFC 8705). */
export function describeBoundToCertificates(): ProtectedResource['more'] {
  return { tls_client_certificate_bound_access_tokens: true };
}

/** RFC 9728 §3.1: the well-known path comes between the host and the path of the resource. */
export function protectedResourceMetadataUrl(resource: string): string {
  const { origin, search } = new URL(resource);
  return `${origin}${metadataPath(resource)}${search}`;
}

/**
 * Tells clients which authorization server gives the tokens for a resource.
 *
 * @param origin where this process is reached; for resources there, a proxy may ask under another name
 * @see RFC 9728 §2, §3
 */
export function createProtectedResourceMetadata(
  resources: readonly ProtectedResource[],
  origin: string,
): Router {
  const published = resources.map((resource) => ({
    ...locationOf(resource),
    body: JSON.stringify(metadataOf(resource)),
  }));
  const router = Router();
  const allowOrigins = crossOrigin('GET');
  router.use((req, res, next) => {
    const found = findRequested(published, req, origin);
    if (found === undefined || !['GET', 'HEAD', 'OPTIONS'].includes(req.method)) return next();
    void allowOrigins(req, res, () => {
      // RFC 9111 §4.1: a shared cache must not give one host the response for another
      res.vary(hostHeadersOf(req));
      res
        .set({ 'Cache-Control': 'public, max-age=300', 'X-Content-Type-Options': 'nosniff' })
        .type('application/json')
        .send(found.body);
    });
  });
  return router;
}

/** RFC 9728 §2; a member without elements MUST be left out (RFC 9728 §3.2). */
function metadataOf({ resource, issuer, scopes, bearerMethods, name, more }: ProtectedResource): object {
  return {
    resource,
    authorization_servers: [issuer],
    ...(scopes && scopes.length > 0 && { scopes_supported: scopes }),
    bearer_methods_supported: bearerMethods,
    ...(name !== undefined && { resource_name: name }),
    ...more,
  };
}

function metadataPath(resource: string): string {
  const { pathname } = new URL(resource);
  return `${WELL_KNOWN}${pathname === '/' ? '' : pathname}`;
}

/** Where the metadata of a resource is: RFC 9728 §3.1 keeps host, path and query of the resource. */
interface MetadataLocation {
  /** Path and query of the metadata. */
  readonly target: string;
  /** The resource. */
  readonly url: URL;
}

function locationOf({ resource }: ProtectedResource): MetadataLocation {
  const url = new URL(resource);
  return { target: `${metadataPath(resource)}${url.search}`, url };
}

/**
 * The metadata at the requested path, of the resource at the requested host: clients must not use metadata of another
 * resource (RFC 9728 §3.3). If no resource is at that host, a proxy may have dropped the public host: then it is the
 * metadata of the resource that the options have at this origin.
 */
function findRequested<T extends MetadataLocation>(
  published: readonly T[],
  req: Request,
  origin: string,
): T | undefined {
  const [, search = ''] = /(\?[^]*)/.exec(req.url) ?? [];
  const target = `${req.baseUrl}${req.path}${search === '?' ? '' : search}`;
  const atPath = published.filter((each) => each.target === target);
  if (atPath.length === 0) return undefined;
  const isRequestedHost = ({ url }: MetadataLocation) => hostsOf(req).some((host) => isHost(host, url));
  const requested = atPath.find(isRequestedHost);
  if (requested !== undefined || published.some(isRequestedHost)) return requested;
  return atPath.find(({ url }) => url.origin === origin);
}

/** The headers from which Express takes the host: that of a proxy only if the site trusts one. */
function hostHeadersOf(req: Request): string {
  return req.app.enabled('trust proxy') ? 'Host, X-Forwarded-Host' : 'Host';
}

/** The requested host, with its port. Express decides which header to trust, and Express 4 drops the port. */
function hostsOf(req: Request): readonly string[] {
  const sent = [req.get('X-Forwarded-Host')?.split(',')[0]?.trim(), req.get('Host')];
  return sent.filter((host): host is string => host?.replace(/:\d+$/, '') === req.hostname);
}

function isHost(host: string, { protocol, host: own }: URL): boolean {
  const url = `${protocol}//${host}`;
  return URL.canParse(url) && new URL(url).host === own;
}
