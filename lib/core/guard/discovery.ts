import type { JWTVerifyGetKey } from 'jose';

import type { GuardPrivateJwk } from '../../settings/bearer-guard-options.js';
import { loadJose, retryUnknownKeys } from '../../shared/crypto/jose.js';
import { sendRequest } from '../../shared/outbound/send-request.js';
import {
  AUTHORIZATION_SERVER_METADATA,
  OPENID_CONFIGURATION,
  wellKnownUrls,
} from '../../shared/protocol/well-known.js';
import { unavailable } from './verify-access-token.js';

/** The published keys, fetched at the first use, when they expire, and for unknown key ids. */
export interface KeySet {
  readonly find: JWTVerifyGetKey;
  /** Seconds since 1970; in the past before the first fetch. */
  endsAt(): number;
  /** The `nbf` of a key, in seconds since 1970: tokens that the key signed before are refused. */
  notBefore(kid: string | undefined): number;
}

/** Seconds for which metadata and keys are used before they are fetched again. */
export const MAX_AGE = 600;

/** Another authorization server: that of `bearerGuard`, or a trusted issuer of token exchange. */
export interface RemoteServer {
  readonly issuer: string;
  /** The required audience of its tokens. */
  readonly resource: string;
  /** Milliseconds that a request to the server may take. */
  readonly timeout: number;
  /** Seconds between two fetches of its keys because of unknown key ids. */
  readonly keysCooldown: number;
  /** Seconds by which its clock may differ. */
  readonly clockTolerance: number;
  /** The client that introspects opaque tokens, by its secret or its key. Default: opaque tokens are refused. */
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  readonly clientKey?: GuardPrivateJwk | undefined;
  /** Default: the endpoint in the metadata, at the origin of the issuer. */
  readonly introspectionEndpoint?: string | undefined;
}

/** @throws OAuthError temporarily_unavailable */
export type Discover = ReturnType<typeof createDiscovery>;

/** The authorization server's metadata, fetched at the first use and then every ten minutes. @see RFC 8414 §3 */
export function createDiscovery(server: RemoteServer) {
  const { issuer, timeout, keysCooldown, clockTolerance } = server;
  let cached: { readonly metadata: ReturnType<typeof discover>; readonly loadedAt: number } | undefined;
  // the key set of a `jwks_uri` outlives the metadata, so that its cooldown stays in force
  let lastKeys: { readonly uri: string; readonly keys: KeySet } | undefined;

  const keySetOf = async (uri: string): Promise<KeySet> => {
    const { createRemoteJWKSet, customFetch, jwksCache } = await loadJose();
    if (lastKeys?.uri === uri) return lastKeys.keys;
    const fetched: { uat?: number; jwks?: { keys: readonly { kid?: string; nbf?: unknown }[] } } = {};
    const remote = createRemoteJWKSet(new URL(uri), {
      timeoutDuration: timeout,
      cooldownDuration: keysCooldown * 1000,
      cacheMaxAge: MAX_AGE * 1000,
      [customFetch]: (url: string, { headers }: RequestInit) => sendRequest(url, { headers }, timeout),
      // jose stores the fetched keys and their time there
      [jwksCache]: fetched as Record<string, never>,
    });
    const keys: KeySet = {
      find: retryUnknownKeys(remote, {
        cooldown: keysCooldown,
        // RFC 9068 §2.2: iat is the time of the signature. A token older than the cooldown is older than the last fetch
        isStale(payload) {
          try {
            const { iat } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { iat?: unknown };
            return !(Number(iat) > Date.now() / 1000 - keysCooldown - clockTolerance);
          } catch {
            return true;
          }
        },
      }),
      endsAt: () => (fetched.uat ?? -Infinity) / 1000 + MAX_AGE,
      notBefore: (kid) => Number(fetched.jwks?.keys.find((key) => key.kid === kid)?.nbf ?? 0),
    };
    lastKeys = { uri, keys };
    return keys;
  };

  const discover = async () => {
    try {
      // at the path of RFC 8414; if that is missing, at the path of OpenID Connect Discovery §4
      const get = (url: string) => sendRequest(url, { headers: { Accept: 'application/json' } }, timeout);
      let url = wellKnownUrls(issuer, AUTHORIZATION_SERVER_METADATA).beforePath;
      let response = await get(url);
      if (response.status === 404) {
        url = wellKnownUrls(issuer, OPENID_CONFIGURATION).belowPath;
        response = await get(url);
      }
      if (!response.ok) throw new Error(`${url} answered ${response.status}`);
      const metadata = (await response.json()) as Record<string, unknown>;
      // RFC 8414 §3.3: the issuer MUST be identical, else the metadata MUST NOT be used
      if (metadata.issuer !== issuer) throw new Error(`it is the metadata of ${String(metadata.issuer)}`);
      const { jwks_uri: jwksUri, introspection_endpoint: introspectionEndpoint } = metadata;
      // RFC 8414 §2: MUST use https; an issuer without TLS may serve its keys at its own origin without TLS, too
      if (typeof jwksUri === 'string' && !/^https:/i.test(jwksUri) && !isSameOrigin(jwksUri, issuer))
        throw new Error(`its jwks_uri ${jwksUri} is not an https: URL`);
      return {
        keys: typeof jwksUri === 'string' ? await keySetOf(jwksUri) : undefined,
        introspectionEndpoint: typeof introspectionEndpoint === 'string' ? introspectionEndpoint : undefined,
      };
    } catch (cause) {
      throw unavailable('the metadata of the authorization server could not be read', cause);
    }
  };

  return () => {
    if (cached !== undefined && performance.now() - cached.loadedAt < MAX_AGE * 1000) return cached.metadata;
    const entry = { metadata: discover(), loadedAt: performance.now() };
    cached = entry;
    entry.metadata.catch(() => {
      if (cached === entry) cached = undefined;
    });
    return entry.metadata;
  };
}

export function isSameOrigin(url: string, issuer: string): boolean {
  return URL.canParse(url) && new URL(url).origin === new URL(issuer).origin;
}
