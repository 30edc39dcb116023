import * as client from 'openid-client';

const TIMEOUT_SECONDS = 10;

export interface DiscoveryOptions {
  readonly issuer: string;
  readonly clientId: string;
  readonly authentication: client.ClientAuth;
  /** The path of the metadata: by OpenID Connect, or by RFC 8414. */
  readonly algorithm: 'oidc' | 'oauth2';
}

/** Fetches the photo site's metadata at first use; after a failure, the next use tries again. */
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
