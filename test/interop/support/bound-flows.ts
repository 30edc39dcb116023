import * as oauth from 'oauth4webapi';
import * as openidClient from 'openid-client';

/* Flows with a pushed request, details, a signed answer and bound tokens, from only the issuer's URL. */

/** The binding of the tokens: a key of the client (RFC 9449) or its certificate (RFC 8705). */
export type Binding = 'dpop' | 'certificate';

export interface BoundSite {
  readonly issuer: URL;
  readonly redirectUri: string;
  /** The authorization details beside `photos:read`. */
  readonly detail: object;
  /** Uses connections with the certificate of the client. */
  readonly fetch: (address: string | URL, init?: object) => Promise<Response>;
  /** One with a secret, or one that authenticates by its certificate. */
  readonly clientFor: (how: Binding) => Promise<{ clientId: string; clientSecret?: string | undefined }>;
  /** Lets the user allow it; resolves to the callback URL with the answer. */
  readonly allow: (url: URL) => Promise<URL>;
  /** Whether there are separate addresses for clients with certificates (RFC 8705 §5). */
  readonly hasAliases: boolean;
}

export interface BoundTokens {
  readonly access_token: string;
  readonly token_type: string;
  readonly authorization_details?: unknown;
}

/** The result of a client with one of the libraries. */
export interface BoundFlow {
  readonly tokens: BoundTokens;
  readonly refresh: () => Promise<BoundTokens>;
  /** Calls the API as the owner of the token. */
  readonly call: (token: string, path: string, form?: Readonly<Record<string, string>>) => Promise<Response>;
  /** The same with just the token, as a thief of it. */
  readonly callAsThief: (token: string, path: string) => Promise<Response>;
}

const originFor = (how: Binding, { issuer }: BoundSite, aliases: unknown): URL =>
  how === 'dpop' || aliases === undefined
    ? issuer
    : new URL((aliases as { token_endpoint: string }).token_endpoint);

/** RFC 9449 §8: the first answer brings the nonce, and the second request uses it. */
async function twice<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    if (!oauth.isDPoPNonceError(error)) throw error;
    return ask();
  }
}

export async function runOauth4webapi(site: BoundSite, how: Binding): Promise<BoundFlow> {
  const options = { [oauth.customFetch]: site.fetch };
  const as = await oauth.processDiscoveryResponse(
    site.issuer,
    await oauth.discoveryRequest(site.issuer, { algorithm: 'oauth2', ...options }),
  );
  const { clientId, clientSecret } = await site.clientFor(how);
  const client: oauth.Client = {
    client_id: clientId,
    ...(how === 'certificate' && { use_mtls_endpoint_aliases: site.hasAliases }),
  };
  const authentication =
    how === 'dpop' ? oauth.ClientSecretBasic(String(clientSecret)) : oauth.TlsClientAuth();
  const proving = how === 'dpop' ? { DPoP: oauth.DPoP(client, await oauth.generateKeyPair('ES256')) } : {};
  const by = { ...options, ...proving };
  const [state, verifier] = [oauth.generateRandomState(), oauth.generateRandomCodeVerifier()];
  const requested = {
    response_type: 'code',
    redirect_uri: site.redirectUri,
    scope: 'photos:read',
    authorization_details: JSON.stringify([site.detail]),
    response_mode: 'jwt',
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  };
  const { request_uri: requestUri } = await twice(async () =>
    oauth.processPushedAuthorizationResponse(
      as,
      client,
      await oauth.pushedAuthorizationRequest(as, client, authentication, requested, by),
    ),
  );
  const url = new URL(String(as.authorization_endpoint));
  url.search = new URLSearchParams({ client_id: clientId, request_uri: requestUri }).toString();
  const answer = await oauth.validateJwtAuthResponse(as, client, await site.allow(url), state, options);
  const tokens = await twice(async () =>
    oauth.processAuthorizationCodeResponse(
      as,
      client,
      await oauth.authorizationCodeGrantRequest(
        as,
        client,
        authentication,
        answer,
        site.redirectUri,
        verifier,
        by,
      ),
    ),
  );
  const origin = originFor(how, site, as.mtls_endpoint_aliases);
  return {
    tokens,
    refresh: () =>
      twice(async () =>
        oauth.processRefreshTokenResponse(
          as,
          client,
          await oauth.refreshTokenGrantRequest(as, client, authentication, String(tokens.refresh_token), by),
        ),
      ),
    call: (token, path, form) =>
      twice(() =>
        oauth.protectedResourceRequest(
          token,
          form === undefined ? 'GET' : 'POST',
          new URL(path, origin),
          undefined,
          form && new URLSearchParams(form),
          by,
        ),
      ),
    callAsThief: (token, path) =>
      oauth.protectedResourceRequest(token, 'GET', new URL(path, site.issuer), undefined, undefined, options),
  };
}

export async function runOpenidClient(site: BoundSite, how: Binding): Promise<BoundFlow> {
  const { clientId, clientSecret } = await site.clientFor(how);
  const authentication =
    how === 'dpop' ? openidClient.ClientSecretBasic(String(clientSecret)) : openidClient.TlsClientAuth();
  const configuration = await openidClient.discovery(
    site.issuer,
    clientId,
    { ...(how === 'certificate' && { use_mtls_endpoint_aliases: site.hasAliases }) },
    authentication,
    { algorithm: 'oauth2', [openidClient.customFetch]: site.fetch },
  );
  openidClient.useJwtResponseMode(configuration);
  const by =
    how === 'dpop'
      ? { DPoP: openidClient.getDPoPHandle(configuration, await openidClient.randomDPoPKeyPair()) }
      : undefined;
  const [expectedState, pkceCodeVerifier] = [
    openidClient.randomState(),
    openidClient.randomPKCECodeVerifier(),
  ];
  const url = await openidClient.buildAuthorizationUrlWithPAR(
    configuration,
    {
      redirect_uri: site.redirectUri,
      scope: 'photos:read',
      authorization_details: JSON.stringify([site.detail]),
      state: expectedState,
      code_challenge: await openidClient.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
    },
    by,
  );
  const tokens = await openidClient.authorizationCodeGrant(
    configuration,
    await site.allow(url),
    { expectedState, pkceCodeVerifier },
    undefined,
    by,
  );
  const call = (
    token: string,
    api: URL,
    form: Readonly<Record<string, string>> | undefined,
    proving: typeof by,
  ) =>
    openidClient.fetchProtectedResource(
      configuration,
      token,
      api,
      form === undefined ? 'GET' : 'POST',
      form && new URLSearchParams(form),
      undefined,
      proving,
    );
  const origin = originFor(how, site, configuration.serverMetadata().mtls_endpoint_aliases);
  return {
    tokens,
    refresh: () => openidClient.refreshTokenGrant(configuration, String(tokens.refresh_token), undefined, by),
    call: (token, path, form) => call(token, new URL(path, origin), form, by),
    callAsThief: (token, path) => call(token, new URL(path, site.issuer), undefined, undefined),
  };
}
