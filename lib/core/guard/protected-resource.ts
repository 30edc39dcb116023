import { type Request, Router } from 'express';

import type { BearerMethod } from '../../shared/protocol/token-kind.js';
import { crossOrigin } from '../http/cross-origin.js';

const WELL_KNOWN = '/.well-known/oauth-protected-resource';

export interface ProtectedResource {
  readonly resource: string;
  readonly issuer: string;
  readonly scopes: readonly string[] | undefined;
  readonly bearerMethods: readonly BearerMethod[];
  readonly name: string | undefined;
  /** Further members of the metadata (RFC 9728 §2). */
  readonly more: Readonly<Record<string, unknown>>;
}

/**
 * The metadata of a resource that accepts key-bound tokens, or only those (RFC 9449).
 *
 * @param algorithms the algorithms of proofs
 */
export function describeBoundToKeys(
  isRequired: boolean,
  algorithms: readonly string[],
): ProtectedResource['more'] {
  return {
    dpop_signing_alg_values_supported: algorithms,
    ...(isRequired && { dpop_bound_access_tokens_required: true }),
  };
}

/** The metadata of a resource that accepts certificate-bound tokens (RFC 8705). */
export const BOUND_TO_CERTIFICATES = { tls_client_certificate_bound_access_tokens: true } as const;

/** RFC 9728 §3.1: the well-known path comes between the host and the path of the resource; the query stays. */
export function protectedResourceMetadataUrl(resource: string): string {
  const { origin, pathname, search } = new URL(resource);
  return `${origin}${WELL_KNOWN}${pathname === '/' ? '' : pathname}${search}`;
}

/**
 * Tells clients which authorization server issues the tokens for a resource.
 *
 * @param origin the origin of this process; a proxy may request its resources under another name
 * @see RFC 9728 §2, §3
 */
export function createProtectedResourceMetadata(
  resources: readonly ProtectedResource[],
  origin: string,
): Router {
  const published = resources.map(({ resource, issuer, scopes = [], bearerMethods, name, more }) => {
    const url = new URL(resource);
    return {
      url,
      target: protectedResourceMetadataUrl(resource).slice(url.origin.length),
      // JSON has no undefined members. RFC 9728 §3.2: a member without elements MUST be left out
      body: JSON.stringify({
        resource,
        authorization_servers: [issuer],
        scopes_supported: scopes.length > 0 ? scopes : undefined,
        bearer_methods_supported: bearerMethods,
        resource_name: name,
        ...more,
      }),
    };
  });

  /**
   * The metadata at the requested path, of the resource at the requested host: clients must not use metadata of another
   * resource (RFC 9728 §3.3). If no resource is at that host, a proxy may have dropped the public host: then the
   * resource at `origin` counts.
   */
  const findRequested = (req: Request) => {
    const [, search = ''] = /(\?[^]*)/.exec(req.url) ?? [];
    const target = `${req.baseUrl}${req.path}${search === '?' ? '' : search}`;
    const atPath = published.filter((each) => each.target === target);
    if (atPath.length === 0) return undefined;
    // the requested host with its port: Express decides which header to trust, and Express 4 drops the port
    const sent = [req.get('X-Forwarded-Host')?.split(',')[0]?.trim(), req.get('Host')];
    const hosts = sent.filter((host) => host?.replace(/:\d+$/, '') === req.hostname);
    const isRequestedHost = ({ url }: { readonly url: URL }) =>
      hosts.some((host) => {
        const atHost = `${url.protocol}//${host}`;
        return URL.canParse(atHost) && new URL(atHost).host === url.host;
      });
    const requested = atPath.find(isRequestedHost);
    if (requested !== undefined || published.some(isRequestedHost)) return requested;
    return atPath.find(({ url }) => url.origin === origin);
  };

  const router = Router();
  const allowOrigins = crossOrigin('GET');
  router.use((req, res, next) => {
    const metadata = findRequested(req);
    if (metadata === undefined || !['GET', 'HEAD', 'OPTIONS'].includes(req.method)) return next();
    void allowOrigins(req, res, () => {
      // RFC 9111 §4.1: a shared cache must not give one host the response for another. Express takes the host from the
      // header of a proxy only if the site trusts a proxy
      res.vary(req.app.enabled('trust proxy') ? 'Host, X-Forwarded-Host' : 'Host');
      res
        .set({ 'Cache-Control': 'public, max-age=300', 'X-Content-Type-Options': 'nosniff' })
        .type('application/json')
        .send(metadata.body);
    });
  });
  return router;
}
