import type { JWTVerifyGetKey } from 'jose';

import { loadJose } from '../crypto/jose.js';
import { unavailable } from './unavailable.js';

/** What a resource server needs to know of its authorization server. */
export interface IssuerMetadata {
  readonly keys: JWTVerifyGetKey | undefined;
  readonly introspectionEndpoint: string | undefined;
}

export interface DiscoveryOptions {
  readonly issuer: string;
  /** Milliseconds that a request to the authorization server may take. */
  readonly timeout: number;
  /** Seconds between two requests for the keys that unknown key ids can cause. */
  readonly keysCooldown: number;
}

/** Seconds that metadata and keys are used before they are asked for again. */
export const MAX_AGE = 600;

/**
 * The authorization server's metadata, asked for on first need and then every ten minutes.
 *
 * @throws OAuthError temporarily_unavailable
 * @see RFC 8414 §3
 */
export function createDiscovery(options: DiscoveryOptions): () => Promise<IssuerMetadata> {
  let cached: { readonly metadata: Promise<IssuerMetadata>; readonly loadedAt: number } | undefined;
  const keySets = createKeySets(options);

  return () => {
    if (cached !== undefined && performance.now() - cached.loadedAt < MAX_AGE * 1000) return cached.metadata;
    const entry = { metadata: discover(options, keySets), loadedAt: performance.now() };
    cached = entry;
    entry.metadata.catch(() => {
      if (cached === entry) cached = undefined;
    });
    return entry.metadata;
  };
}

/** The set of a `jwks_uri` outlives the metadata: its cooldown must hold on. */
function createKeySets({
  timeout,
  keysCooldown,
}: DiscoveryOptions): (uri: string) => Promise<JWTVerifyGetKey> {
  let last: { readonly uri: string; readonly keys: JWTVerifyGetKey } | undefined;
  return async (uri) => {
    const { createRemoteJWKSet } = await loadJose();
    if (last?.uri !== uri)
      last = {
        uri,
        keys: createRemoteJWKSet(new URL(uri), {
          timeoutDuration: timeout,
          cooldownDuration: keysCooldown * 1000,
          cacheMaxAge: MAX_AGE * 1000,
        }),
      };
    return last.keys;
  };
}

async function discover(
  { issuer, timeout }: DiscoveryOptions,
  keySets: (uri: string) => Promise<JWTVerifyGetKey>,
): Promise<IssuerMetadata> {
  try {
    const response = await fetchMetadata(issuer, timeout);
    const metadata = (await response.json()) as Record<string, unknown>;
    // RFC 8414 §3.3: the issuer MUST be identical, else the metadata MUST NOT be used
    if (metadata.issuer !== issuer)
      throw new Error(`${response.url} is the metadata of ${String(metadata.issuer)}`);
    const { jwks_uri: jwksUri, introspection_endpoint: introspectionEndpoint } = metadata;
    return {
      keys: typeof jwksUri === 'string' ? await keySets(jwksUri) : undefined,
      introspectionEndpoint: typeof introspectionEndpoint === 'string' ? introspectionEndpoint : undefined,
    };
  } catch (cause) {
    throw unavailable('the metadata of the authorization server could not be read', cause);
  }
}

/** At RFC 8414's place; where nothing is there, at that of OpenID Connect Discovery §4. */
async function fetchMetadata(issuer: string, timeout: number): Promise<Response> {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const ask = (url: string) =>
    fetch(url, {
      redirect: 'error',
      signal: AbortSignal.timeout(timeout),
      headers: { Accept: 'application/json' },
    });
  const first = await ask(`${origin}/.well-known/oauth-authorization-server${path}`);
  const response =
    first.status === 404 ? await ask(`${origin}${path}/.well-known/openid-configuration`) : first;
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}`);
  return response;
}
