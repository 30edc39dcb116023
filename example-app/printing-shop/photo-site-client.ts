import * as client from 'openid-client';

import { createDiscovery } from './discovery.js';

/** How the shop deals with the photo site: with a secret, or as the FAPI 2.0 Security Profile requires. */
export type Way = 'plain' | 'fapi2';

/** What the shop keeps in a visitor's session until the visitor is back from the photo site. */
export interface PendingAuthorization {
  readonly way: Way;
  readonly state: string;
  readonly codeVerifier: string;
}

export interface Tokens {
  /** The way in which they were obtained, and are used. */
  readonly way: Way;
  readonly accessToken: string;
  readonly refreshToken?: string | undefined;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

export interface PhotoSiteClient {
  /** Where to send the visitor, and what to remember meanwhile. `asksAgain`: even if they have allowed it before. */
  startAuthorization(options: {
    readonly way: Way;
    readonly asksAgain: boolean;
  }): Promise<{ readonly url: URL; readonly pending: PendingAuthorization }>;
  /** @throws client.AuthorizationResponseError if the visitor has denied */
  finishAuthorization(callbackUrl: URL, pending: PendingAuthorization): Promise<Tokens>;
  /** @throws client.ResponseBodyError invalid_grant if the photo site no longer accepts it */
  refresh(tokens: Tokens): Promise<Tokens>;
  /** Revokes what the visitor has allowed; with a refresh token all that came with it ends (RFC 7009 §2.1). */
  revoke(tokens: Tokens): Promise<void>;
  /** @throws client.WWWAuthenticateChallengeError if the access token is not accepted */
  fetch(url: URL, tokens: Tokens): Promise<Response>;
}

export interface PhotoSiteClientOptions {
  readonly way: Way;
  readonly issuer: string;
  readonly redirectUri: string;
  readonly clientId: string;
  /** How the shop proves who it is. */
  readonly authentication: client.ClientAuth;
  /**
   * Binds all tokens to this key, so that nobody else can use them (RFC 9449), and pushes the request beforehand, so
   * that nobody can read or change it in the visitor's browser (RFC 9126).
   */
  readonly tokenKey?: client.CryptoKeyPair;
}

export function createPhotoSiteClient(options: PhotoSiteClientOptions): PhotoSiteClient {
  const { way, redirectUri } = options;
  const discover = createPhotoSiteDiscovery(options);

  return {
    async startAuthorization({ asksAgain }) {
      const pending = { way, state: client.randomState(), codeVerifier: client.randomPKCECodeVerifier() };
      const { configuration, by } = await discover();
      const parameters = {
        redirect_uri: redirectUri,
        scope: 'photos:read',
        state: pending.state,
        code_challenge: await client.calculatePKCECodeChallenge(pending.codeVerifier),
        code_challenge_method: 'S256',
        ...(asksAgain && { prompt: 'consent' }),
      };
      const url =
        by === undefined
          ? client.buildAuthorizationUrl(configuration, parameters)
          : await client.buildAuthorizationUrlWithPAR(configuration, parameters, by);
      return { url, pending };
    },
    async finishAuthorization(callbackUrl, { state, codeVerifier }) {
      const { configuration, by } = await discover();
      const checks = { expectedState: state, pkceCodeVerifier: codeVerifier };
      return toTokens(
        way,
        await client.authorizationCodeGrant(configuration, callbackUrl, checks, undefined, by),
      );
    },
    async refresh({ refreshToken }) {
      const { configuration, by } = await discover();
      const response = await client.refreshTokenGrant(configuration, refreshToken ?? '', undefined, by);
      // RFC 6749 §6: if no new refresh token is given, the old one stays
      return { refreshToken, ...toTokens(way, response) };
    },
    async revoke({ accessToken, refreshToken }) {
      const { configuration } = await discover();
      await client.tokenRevocation(configuration, refreshToken ?? accessToken);
    },
    async fetch(url, { accessToken }) {
      const { configuration, by } = await discover();
      return client.fetchProtectedResource(configuration, accessToken, url, 'GET', null, undefined, by);
    },
  };
}

interface Discovered {
  readonly configuration: client.Configuration;
  /** Makes the proofs, if tokens are bound to a key. */
  readonly by: client.DPoPOptions | undefined;
}

/** All requests share one maker of proofs, which knows the nonces that the photo site has asked for. */
function createPhotoSiteDiscovery({
  tokenKey,
  ...options
}: PhotoSiteClientOptions): () => Promise<Discovered> {
  const discover = createDiscovery({ ...options, algorithm: 'oauth2' });
  let found: Discovered | undefined;
  return async () => {
    const configuration = await discover();
    return (found ??= {
      configuration,
      by: tokenKey && { DPoP: client.getDPoPHandle(configuration, tokenKey) },
    });
  };
}

function toTokens(
  way: Way,
  response: client.TokenEndpointResponse & client.TokenEndpointResponseHelpers,
): Tokens {
  return {
    way,
    accessToken: response.access_token,
    ...(response.refresh_token !== undefined && { refreshToken: response.refresh_token }),
    expiresAt: Date.now() + (response.expiresIn() ?? 60) * 1000,
  };
}
