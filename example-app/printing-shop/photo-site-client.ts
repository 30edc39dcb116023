import * as client from 'openid-client';

import { createDiscovery } from './discovery.js';

/** The client's profile: with a secret, or by the FAPI 2.0 Security Profile. */
export type Way = 'plain' | 'fapi2';

/** Data in a visitor's session until the visitor is back from the photo site. */
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
  /** The address for the visitor, and the data to store meanwhile. `asksAgain`: despite an earlier consent. */
  startAuthorization(options: {
    readonly way: Way;
    readonly asksAgain: boolean;
  }): Promise<{ readonly url: URL; readonly pending: PendingAuthorization }>;
  /** @throws client.AuthorizationResponseError if the visitor has denied */
  finishAuthorization(callbackUrl: URL, pending: PendingAuthorization): Promise<Tokens>;
  /** @throws client.ResponseBodyError invalid_grant if the photo site no longer accepts the refresh token */
  refresh(tokens: Tokens): Promise<Tokens>;
  /** Revokes the grant: with a refresh token, all tokens of the grant end (RFC 7009 §2.1). */
  revoke(tokens: Tokens): Promise<void>;
  /** @throws client.WWWAuthenticateChallengeError if the access token is not accepted */
  fetch(url: URL, tokens: Tokens): Promise<Response>;
}

export interface PhotoSiteClientOptions {
  readonly way: Way;
  readonly issuer: string;
  readonly redirectUri: string;
  readonly clientId: string;
  /** The shop's client authentication. */
  readonly authentication: client.ClientAuth;
  /**
   * Binds all tokens to this key, so that nobody else can use them (RFC 9449), and pushes requests, so that nobody can
   * read or change them in the visitor's browser (RFC 9126).
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
      // RFC 6749 §6: without a new refresh token, the old one stays
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
  /** Makes DPoP proofs, if tokens are bound to a key. */
  readonly by: client.DPoPOptions | undefined;
}

/** All requests share one maker of proofs, which stores the nonces of the photo site. */
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
