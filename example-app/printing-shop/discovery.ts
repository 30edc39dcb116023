import * as client from 'openid-client';

const TIMEOUT_SECONDS = 10;

export interface DiscoveryOptions {
  readonly issuer: string;
  readonly clientId: string;
  readonly authentication: client.ClientAuth;
  /** Whether the metadata is read where OpenID Connect puts it, or where RFC 8414 puts it. */
  readonly algorithm: 'oidc' | 'oauth2';
}

/** Asks the photo site for its metadata at the first use; if that fails, the next use asks again. */
export function createDiscovery({
  issuer,
  clientId,
  authentication,
  algorithm,
}: DiscoveryOptions): () => Promise<client.Configuration> {
  let discovered: Promise<client.Configuration> | undefined;
  // on this machine the example works without TLS
  const execute = issuer.startsWith('http:') ? [client.allowInsecureRequests] : [];
  return () =>
    (discovered ??= client
      .discovery(new URL(issuer), clientId, undefined, authentication, {
        algorithm,
        execute,
        timeout: TIMEOUT_SECONDS,
      })
      .catch((error: unknown) => {
        discovered = undefined;
        throw error;
      }));
}
