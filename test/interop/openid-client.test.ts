import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { exportJWK, generateKeyPair } from 'jose';
import * as client from 'openid-client';

import { type RunningExample, startExample } from './support/example.js';
import { authorize, openLoggedInBrowser } from './support/flows.js';

const PLAYGROUND = '/playground/callback';

let example: RunningExample;
beforeAll(async () => {
  example = await startExample();
});
afterAll(() => example.stop());

function discover(clientId: string, authentication: client.ClientAuth): Promise<client.Configuration> {
  return client.discovery(new URL(example.issuer), clientId, undefined, authentication, {
    algorithm: 'oauth2',
    execute: [client.allowInsecureRequests],
  });
}

async function callApi(
  configuration: client.Configuration,
  token: string,
  path = '/api/photos',
  method = 'GET',
  body?: object,
): Promise<Response> {
  return client.fetchProtectedResource(
    configuration,
    token,
    new URL(path, example.issuer),
    method,
    body && JSON.stringify(body),
    new Headers(body && { 'content-type': 'application/json' }),
  );
}

describe('openid-client', () => {
  test('discovers the server by its metadata (RFC 8414)', async () => {
    const configuration = await discover('roof-webcam', client.ClientSecretBasic('roof-webcam-demo-secret'));
    expect(configuration.serverMetadata()).toMatchObject({
      issuer: example.issuer,
      authorization_endpoint: `${example.issuer}/oauth/authorize`,
      token_endpoint: `${example.issuer}/oauth/token`,
      authorization_response_iss_parameter_supported: true,
    });
    expect(configuration.serverMetadata().supportsPKCE()).toBe(true);
  });

  test.each([
    ['client_secret_basic', client.ClientSecretBasic],
    ['client_secret_post', client.ClientSecretPost],
  ])('client_credentials by %s, and the guarded API', async (_name, createAuthentication) => {
    const configuration = await discover('roof-webcam', createAuthentication('roof-webcam-demo-secret'));
    const tokens = await client.clientCredentialsGrant(configuration, { scope: 'photos:read photos:write' });
    expect(tokens).toMatchObject({
      token_type: 'bearer',
      expires_in: 3600,
      scope: 'photos:read photos:write',
    });
    expect(tokens.refresh_token).toBeUndefined();

    const added = await callApi(configuration, tokens.access_token, '/api/photos', 'POST', {
      title: 'The roof at noon',
    });
    expect(added.status).toBe(201);
    const photos = (await (await callApi(configuration, tokens.access_token)).json()) as { title: string }[];
    expect(photos.map(({ title }) => title)).toContain('The roof at noon');
  });

  test('a public client: code with PKCE at a loopback port of its choice, refresh with rotation', async () => {
    const configuration = await discover('pocket-photos', client.None());
    const redirectUri = 'http://127.0.0.1:49152/callback';
    const first = await codeFlow(configuration, redirectUri, 'photos:read photos:write');
    expect(first.scope).toBe('photos:read photos:write');

    const second = await client.refreshTokenGrant(configuration, first.refresh_token!, {
      scope: 'photos:read',
    });
    expect(second.scope).toBe('photos:read');
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect((await callApi(configuration, second.access_token)).status).toBe(200);

    // RFC 9700 §4.14.2: using the old one again can only be a theft, and ends everything
    await expect(client.refreshTokenGrant(configuration, first.refresh_token!)).rejects.toMatchObject({
      error: 'invalid_grant',
    });
    await expect(client.refreshTokenGrant(configuration, second.refresh_token!)).rejects.toMatchObject({
      error: 'invalid_grant',
    });
    await expect(callApi(configuration, second.access_token)).rejects.toMatchObject({ status: 401 });
  });

  test('a pushed request (RFC 9126): the address says nothing of it, and works once', async () => {
    const secret = client.ClientSecretBasic('photo-studio-demo-secret');
    const configuration = await discover('photo-studio', secret);
    const redirectUri = `${example.issuer}${PLAYGROUND}`;
    const [state, verifier] = [client.randomState(), client.randomPKCECodeVerifier()];
    const url = await client.buildAuthorizationUrlWithPAR(configuration, {
      redirect_uri: redirectUri,
      scope: 'photos:read',
      state,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    expect([...url.searchParams.keys()].sort()).toEqual(['client_id', 'request_uri']);
    const called = await authorize(example.issuer, url, redirectUri);
    const tokens = await client.authorizationCodeGrant(configuration, called, {
      expectedState: state,
      pkceCodeVerifier: verifier,
    });
    expect(tokens.scope).toBe('photos:read');
    const again = await (await openLoggedInBrowser(example.issuer, { stopAt: redirectUri })).open(url);
    expect([again.status, again.url.pathname]).toEqual([400, '/oauth/authorize']);
  });

  test('a signed answer (JARM), checked by the keys of the metadata', async () => {
    const configuration = await discover(
      'photo-studio',
      client.ClientSecretBasic('photo-studio-demo-secret'),
    );
    client.useJwtResponseMode(configuration);
    const redirectUri = `${example.issuer}${PLAYGROUND}`;
    const state = client.randomState();
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: 'photos:read',
      state,
    });
    const called = await authorize(example.issuer, url, redirectUri);
    expect([...called.searchParams.keys()]).toEqual(['response']);
    const tokens = await client.authorizationCodeGrant(configuration, called, { expectedState: state });
    expect(tokens.scope).toBe('photos:read');
  });

  test('a signed request (RFC 9101) of a client that registers itself with a key, also pushed', async () => {
    const redirectUri = 'http://127.0.0.1:49153/callback';
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
    const configuration = await client.dynamicClientRegistration(
      new URL(example.issuer),
      {
        client_name: 'Frame maker',
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: 'private_key_jwt',
        jwks: { keys: [{ ...(await exportJWK(publicKey)), kid: 'one' }] },
        require_signed_request_object: true,
      },
      client.PrivateKeyJwt({ key: privateKey, kid: 'one' }),
      { algorithm: 'oauth2', execute: [client.allowInsecureRequests] },
    );
    const signed = async (state: string, pkceCodeVerifier: string) =>
      client.buildAuthorizationUrlWithJAR(
        configuration,
        {
          redirect_uri: redirectUri,
          scope: 'photos:read',
          state,
          code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
          code_challenge_method: 'S256',
        },
        { key: privateKey, kid: 'one' },
      );
    for (const isPushed of [false, true]) {
      const [expectedState, pkceCodeVerifier] = [client.randomState(), client.randomPKCECodeVerifier()];
      const url = await signed(expectedState, pkceCodeVerifier);
      const sent = isPushed
        ? await client.buildAuthorizationUrlWithPAR(configuration, url.searchParams)
        : url;
      expect(sent.searchParams.has('request')).toBe(!isPushed);
      const called = await authorize(example.issuer, sent, redirectUri);
      const tokens = await client.authorizationCodeGrant(configuration, called, {
        expectedState,
        pkceCodeVerifier,
      });
      expect(tokens.scope).toBe('photos:read');
    }
  });

  test('tokens that are bound to a key (RFC 9449): code, API, refresh', async () => {
    const configuration = await discover('pocket-photos', client.None());
    const keys = await client.randomDPoPKeyPair();
    const DPoP = client.getDPoPHandle(configuration, keys);
    const redirectUri = 'http://127.0.0.1:49154/callback';
    const [expectedState, pkceCodeVerifier] = [client.randomState(), client.randomPKCECodeVerifier()];
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: 'photos:read',
      state: expectedState,
      code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      dpop_jkt: await DPoP.calculateThumbprint(),
    });
    const called = await authorize(example.issuer, url, redirectUri);
    const checks = { expectedState, pkceCodeVerifier };
    await expect(client.authorizationCodeGrant(configuration, called, checks)).rejects.toMatchObject({
      error: 'invalid_grant',
    });
    const first = await client.authorizationCodeGrant(configuration, called, checks, undefined, { DPoP });
    expect(first.token_type).toBe('dpop');
    const photos = new URL('/api/photos', example.issuer);
    const call = (token: string, options?: client.DPoPOptions) =>
      client.fetchProtectedResource(configuration, token, photos, 'GET', undefined, undefined, options);
    expect((await call(first.access_token, { DPoP })).status).toBe(200);
    await expect(call(first.access_token)).rejects.toMatchObject({ status: 401 });
    const another = client.getDPoPHandle(configuration, await client.randomDPoPKeyPair());
    await expect(call(first.access_token, { DPoP: another })).rejects.toMatchObject({ status: 401 });
    const refresh = (options?: client.DPoPOptions) =>
      client.refreshTokenGrant(configuration, first.refresh_token!, undefined, options);
    await expect(refresh({ DPoP: another })).rejects.toMatchObject({ error: 'invalid_grant' });
    const second = await refresh({ DPoP });
    expect((await call(second.access_token, { DPoP })).status).toBe(200);
  });

  test('a trusted client needs no consent', async () => {
    const configuration = await discover(
      'photo-studio',
      client.ClientSecretBasic('photo-studio-demo-secret'),
    );
    const tokens = await codeFlow(configuration, `${example.issuer}${PLAYGROUND}`, 'photos:read');
    const me = await callApi(configuration, tokens.access_token, '/api/me');
    expect(await me.json()).toMatchObject({ clientId: 'photo-studio', user: { username: 'ada' } });
  });

  test('a token without the scope gets 403 and the challenge names it, beside what it has (RFC 6750 §3.1)', async () => {
    const configuration = await discover('roof-webcam', client.ClientSecretBasic('roof-webcam-demo-secret'));
    const { access_token: token } = await client.clientCredentialsGrant(configuration, {
      scope: 'photos:read',
    });
    const refused = callApi(configuration, token, '/api/photos', 'POST', { title: 'x' });
    await expect(refused).rejects.toMatchObject({
      status: 403,
      cause: [
        { scheme: 'bearer', parameters: { error: 'insufficient_scope', scope: 'photos:write photos:read' } },
        { scheme: 'dpop', parameters: {} },
      ],
    });
  });

  test('the gift card, an extension grant: once, for its giver’s photos', async () => {
    const configuration = await discover('gift-shop', client.ClientSecretBasic('gift-shop-demo-secret'));
    const use = () =>
      client.genericGrantRequest(configuration, 'urn:example:grant-type:gift-card', {
        gift_card: 'GIFT-CARD-FROM-ADA',
      });

    const attempts = await Promise.allSettled(Array.from({ length: 8 }, use));
    const won = attempts.flatMap((attempt) => (attempt.status === 'fulfilled' ? [attempt.value] : []));
    expect(won).toHaveLength(1);
    const photos = await callApi(configuration, won[0]!.access_token);
    expect(await photos.json()).toHaveLength(6);
    await expect(use()).rejects.toMatchObject({ error: 'invalid_grant' });
  });

  test('the implicit grant: a token in the fragment (older)', async () => {
    const request = `${example.issuer}/oauth/authorize?response_type=token&client_id=old-browser-app&state=s`;
    const url = await authorize(example.issuer, request, `${example.issuer}${PLAYGROUND}`);
    const fragment = new URLSearchParams(url.hash.slice(1));
    expect(fragment.get('state')).toBe('s');
    const photos = await fetch(`${example.issuer}/api/photos`, {
      headers: { authorization: `Bearer ${fragment.get('access_token')}` },
    });
    expect(photos.status).toBe(200);
  });
});

async function codeFlow(
  configuration: client.Configuration,
  redirectUri: string,
  scope: string,
): Promise<client.TokenEndpointResponse> {
  const pkceCodeVerifier = client.randomPKCECodeVerifier();
  const expectedState = client.randomState();
  const url = client.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    scope,
    state: expectedState,
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  });
  return client.authorizationCodeGrant(configuration, await authorize(example.issuer, url, redirectUri), {
    pkceCodeVerifier,
    expectedState,
  });
}
