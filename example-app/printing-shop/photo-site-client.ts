import * as client from 'openid-client';

const TIMEOUT_SECONDS = 10;

/** What the shop keeps in a visitor's session until the visitor is back from the photo site. */
export interface PendingAuthorization {
  readonly state: string;
  readonly codeVerifier: string;
}

export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken?: string | undefined;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

export interface PhotoSiteClient {
  /** Where to send the visitor, and what to remember meanwhile. `asksAgain`: whatever was allowed before. */
  startAuthorization(options: {
    readonly asksAgain: boolean;
  }): Promise<{ readonly url: URL; readonly pending: PendingAuthorization }>;
  /** @throws client.AuthorizationResponseError where the visitor has denied */
  finishAuthorization(callbackUrl: URL, pending: PendingAuthorization): Promise<Tokens>;
  /** @throws client.ResponseBodyError invalid_grant where the photo site does not want to hear of it any more */
  refresh(tokens: Tokens): Promise<Tokens>;
  /** Gives back what the visitor has given; by a refresh token all that came with it ends (RFC 7009 §2.1). */
  revoke(tokens: Tokens): Promise<void>;
  /** @throws client.WWWAuthenticateChallengeError where the access token is not accepted */
  fetch(url: URL, tokens: Tokens): Promise<Response>;
}

export interface PhotoSiteClientOptions {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUri: string;
}

export function createPhotoSiteClient({
  issuer,
  clientId,
  clientSecret,
  redirectUri,
}: PhotoSiteClientOptions): PhotoSiteClient {
  const configuration = createDiscovery(issuer, clientId, clientSecret);

  return {
    async startAuthorization({ asksAgain }) {
      const pending = { state: client.randomState(), codeVerifier: client.randomPKCECodeVerifier() };
      const url = client.buildAuthorizationUrl(await configuration(), {
        redirect_uri: redirectUri,
        scope: 'photos:read',
        state: pending.state,
        code_challenge: await client.calculatePKCECodeChallenge(pending.codeVerifier),
        code_challenge_method: 'S256',
        ...(asksAgain && { prompt: 'consent' }),
      });
      return { url, pending };
    },
    async finishAuthorization(callbackUrl, { state, codeVerifier }) {
      return toTokens(
        await client.authorizationCodeGrant(await configuration(), callbackUrl, {
          expectedState: state,
          pkceCodeVerifier: codeVerifier,
        }),
      );
    },
    async refresh({ refreshToken }) {
      const response = await client.refreshTokenGrant(await configuration(), refreshToken ?? '');
      // RFC 6749 §6: where no new refresh token is given the old one stays
      return { refreshToken, ...toTokens(response) };
    },
    async revoke({ accessToken, refreshToken }) {
      await client.tokenRevocation(await configuration(), refreshToken ?? accessToken);
    },
    async fetch(url, { accessToken }) {
      return client.fetchProtectedResource(await configuration(), accessToken, url, 'GET');
    },
  };
}

/** Asks the photo site for its metadata at the first use; where that fails, the next use asks again. */
function createDiscovery(
  issuer: string,
  clientId: string,
  clientSecret: string,
): () => Promise<client.Configuration> {
  let discovered: Promise<client.Configuration> | undefined;
  // on this machine the example does without TLS
  const execute = issuer.startsWith('http:') ? [client.allowInsecureRequests] : [];
  return () =>
    (discovered ??= client
      .discovery(new URL(issuer), clientId, clientSecret, client.ClientSecretBasic(clientSecret), {
        algorithm: 'oauth2',
        execute,
        timeout: TIMEOUT_SECONDS,
      })
      .catch((error: unknown) => {
        discovered = undefined;
        throw error;
      }));
}

function toTokens(response: client.TokenEndpointResponse & client.TokenEndpointResponseHelpers): Tokens {
  return {
    accessToken: response.access_token,
    ...(response.refresh_token !== undefined && { refreshToken: response.refresh_token }),
    expiresAt: Date.now() + (response.expiresIn() ?? 60) * 1000,
  };
}
