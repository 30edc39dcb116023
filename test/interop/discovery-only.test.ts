import { beforeAll, describe, expect, test } from '@jest/globals';
import express from 'express';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';

import { bearerGuard, errorHandler } from '../../lib/guard.js';
import { createTestKey } from '../support/assertions.js';
import { openServer } from '../support/open-server.js';
import { createPerson } from '../support/person.js';
import { KEY_SECRET, openSite, REDIRECT_URI } from '../support/site.js';
import { fixture, siteFor } from '../support/site-for.js';

const INSECURE = { [oauth.allowInsecureRequests]: true };
const OPTIONS: openid.DiscoveryRequestOptions = {
  algorithm: 'oauth2',
  execute: [openid.allowInsecureRequests],
};

const [photosApp, albumsApp] = [express(), express()];
/** A separate API, which checks JWTs with published keys; beforehand a client knows only its address. */
const api = fixture(() => openServer(photosApp));
/** Another one, with opaque tokens that it introspects. */
const albums = fixture(() => openServer(albumsApp));
const site = siteFor(() => ({
  registration: { open: true },
  security: { rateLimits: false },
  resources: {
    [api.url]: { scopes: ['photos:read', 'photos:write'], accessTokenFormat: 'jwt' },
    [albums.url]: { scopes: ['profile'] },
  },
}));

beforeAll(async () => {
  const { clientId, clientSecret = '' } = await site.client({
    introspection: true,
    resources: [albums.url],
    grantTypes: ['client_credentials'],
  });
  guardApi(
    photosApp,
    bearerGuard({ issuer: site.url, resource: api.url, scopes: ['photos:read', 'photos:write'] }),
    'photos:read',
  );
  guardApi(
    albumsApp,
    bearerGuard({ issuer: site.url, resource: albums.url, clientId, clientSecret, cacheMaxAge: 0 }),
    'profile',
  );
});

function guardApi(app: express.Express, guard: ReturnType<typeof bearerGuard>, scope: string): void {
  app
    .use(guard.wellKnown)
    .get('/', guard(scope), (req, res) => void res.json(req.auth))
    .use(errorHandler);
}

/** From the API's refusal to its authorization server, step by step as in RFC 9728 §5. */
async function discoverFrom(resource: string): Promise<{ issuer: URL; scope: string }> {
  const refused = await fetch(resource);
  expect(refused.status).toBe(401);
  const { resource_metadata: metadataUrl = '', scope = '' } = Object.fromEntries(
    [...(refused.headers.get('www-authenticate') ?? '').matchAll(/(\w+)="([^"]*)"/g)].map(
      ([, name, value]) => [name, value],
    ),
  ) as Record<string, string>;
  const response = await oauth.resourceDiscoveryRequest(new URL(resource), INSECURE);
  expect(response.url).toBe(metadataUrl);
  const metadata = await oauth.processResourceDiscoveryResponse(new URL(resource), response);
  return { issuer: new URL(metadata.authorization_servers?.[0] ?? ''), scope };
}

async function getTokens(
  configuration: openid.Configuration,
  parameters: Record<string, string>,
): Promise<openid.TokenEndpointResponse> {
  const pkceCodeVerifier = openid.randomPKCECodeVerifier();
  const expectedState = openid.randomState();
  const challenge = {
    code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  };
  const url = openid.buildAuthorizationUrl(configuration, {
    redirect_uri: REDIRECT_URI,
    state: expectedState,
    ...challenge,
    ...parameters,
  });
  expect(url.href.startsWith(configuration.serverMetadata().authorization_endpoint ?? '?')).toBe(true);
  const person = createPerson(site);
  await person.logIn();
  return openid.authorizationCodeGrant(
    configuration,
    await person.authorize(Object.fromEntries(url.searchParams)),
    { pkceCodeVerifier, expectedState },
  );
}

const call = (url: string, token: string) => fetch(url, { headers: { authorization: `Bearer ${token}` } });

describe('a client that knows only the address of an API', () => {
  const key = createTestKey();
  const methods: [string, () => Promise<openid.ClientAuth>][] = [
    ['none', () => Promise.resolve(openid.None())],
    ['client_secret_basic', () => Promise.resolve(openid.ClientSecretBasic())],
    ['client_secret_post', () => Promise.resolve(openid.ClientSecretPost())],
    [
      'private_key_jwt',
      async () =>
        openid.PrivateKeyJwt({ key: (await key).privateKey, kid: String((await key).publicJwk.kid) }),
    ],
  ];

  test.each(methods)(
    'a client that knows only an API registers with %s, gets tokens, refreshes and revokes them',
    async (method, createAuthentication) => {
      const { issuer, scope } = await discoverFrom(api.url);
      const metadata = {
        client_name: 'Frames',
        redirect_uris: [REDIRECT_URI],
        grant_types: ['authorization_code', 'refresh_token'],
        token_endpoint_auth_method: method,
        ...(method === 'private_key_jwt' && { jwks: { keys: [(await key).publicJwk as oauth.JWK] } }),
      };
      const configuration = await openid.dynamicClientRegistration(
        issuer,
        metadata,
        await createAuthentication(),
        OPTIONS,
      );
      const tokens = await getTokens(configuration, { scope, resource: api.url });
      expect(tokens.scope).toBe('photos:read');
      expect(await (await call(api.url, tokens.access_token)).json()).toMatchObject({
        userId: 'ada',
        clientId: configuration.clientMetadata().client_id,
      });

      const refreshed = await openid.refreshTokenGrant(configuration, tokens.refresh_token!, {
        resource: api.url,
      });
      expect((await call(api.url, refreshed.access_token)).status).toBe(200);
      await openid.tokenRevocation(configuration, refreshed.refresh_token!);
      await expect(openid.refreshTokenGrant(configuration, refreshed.refresh_token!)).rejects.toMatchObject({
        error: 'invalid_grant',
      });
    },
  );

  test('a client that knows only an API gets opaque tokens, which end with their revocation', async () => {
    const { issuer, scope } = await discoverFrom(albums.url);
    const configuration = await openid.dynamicClientRegistration(
      issuer,
      { redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'none' },
      openid.None(),
      OPTIONS,
    );
    const tokens = await getTokens(configuration, { scope, resource: albums.url });
    expect([
      (await call(albums.url, tokens.access_token)).status,
      (await call(api.url, tokens.access_token)).status,
    ]).toEqual([200, 401]);
    await openid.tokenRevocation(configuration, tokens.access_token);
    expect((await call(albums.url, tokens.access_token)).status).toBe(401);
  });

  test('a client that knows only an API registers by an initial access token', async () => {
    await using closed = await openSite({ database: site.database, registration: {} });
    const metadata = { redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'none' };
    const { token } = await closed.oauth.registration.createInitialAccessToken({ expiresIn: 60 });
    const registered = await openid.dynamicClientRegistration(new URL(closed.url), metadata, openid.None(), {
      ...OPTIONS,
      initialAccessToken: token,
    });
    expect(registered.clientMetadata().client_id).toEqual(expect.any(String));
    await expect(
      openid.dynamicClientRegistration(new URL(closed.url), metadata, openid.None(), OPTIONS),
    ).rejects.toMatchObject({ status: 401 });
  });
});

describe('JWT access tokens, verified by other libraries', () => {
  const serverMetadata = async () =>
    oauth.processDiscoveryResponse(
      new URL(site.url),
      await oauth.discoveryRequest(new URL(site.url), { algorithm: 'oauth2', ...INSECURE }),
    );
  const obtain = async (resource: string, scope: string) => {
    const client = await site.client();
    const configuration = await openid.discovery(
      new URL(site.url),
      client.clientId,
      client.clientSecret,
      undefined,
      OPTIONS,
    );
    return { client, token: (await getTokens(configuration, { scope, resource })).access_token };
  };

  test('jose verifies a JWT access token by the key set of the metadata (RFC 9068 §4)', async () => {
    const { client, token } = await obtain(api.url, 'photos:read');
    const { issuer, jwks_uri: jwksUri = '' } = await serverMetadata();
    const keys = createRemoteJWKSet(new URL(jwksUri));
    const rules = {
      issuer,
      audience: api.url,
      typ: 'at+jwt',
      requiredClaims: ['iss', 'exp', 'aud', 'sub', 'client_id', 'iat', 'jti'],
    };
    const { payload } = await jwtVerify(token, keys, rules);
    expect(payload).toMatchObject({ sub: 'ada', client_id: client.clientId, scope: 'photos:read' });
    await expect(jwtVerify(token, keys, { ...rules, audience: albums.url })).rejects.toMatchObject({
      code: 'ERR_JWT_CLAIM_VALIDATION_FAILED',
      claim: 'aud',
    });
  });

  test('oauth4webapi verifies a JWT access token by validateJwtAccessToken', async () => {
    const { client, token } = await obtain(api.url, 'photos:read photos:write');
    const request = () => new Request(api.url, { headers: { authorization: `Bearer ${token}` } });
    const claims = await oauth.validateJwtAccessToken(await serverMetadata(), request(), api.url, INSECURE);
    expect(claims).toMatchObject({ iss: site.url, aud: api.url, sub: 'ada', client_id: client.clientId });
    await expect(
      oauth.validateJwtAccessToken(await serverMetadata(), request(), albums.url, INSECURE),
    ).rejects.toThrow();
  });
});

describe('a resource server with another library', () => {
  test('openid-client introspects tokens of its API by private_key_jwt, and no others', async () => {
    const { privateKey, publicJwk } = await createTestKey();
    const server = await site.client({
      introspection: true,
      resources: [albums.url],
      jwks: { keys: [publicJwk] },
      grantTypes: ['client_credentials'],
    });
    const configuration = await openid.discovery(
      new URL(site.url),
      server.clientId,
      undefined,
      openid.PrivateKeyJwt({ key: privateKey, kid: String(publicJwk.kid) }),
      OPTIONS,
    );
    const tokenFor = async (resource: string) => {
      const client = await site.client();
      return (
        await openid.clientCredentialsGrant(
          await openid.discovery(new URL(site.url), client.clientId, client.clientSecret, undefined, OPTIONS),
          { resource },
        )
      ).access_token;
    };
    expect(await openid.tokenIntrospection(configuration, await tokenFor(albums.url))).toMatchObject({
      active: true,
      aud: albums.url,
      scope: 'profile',
    });
    expect(await openid.tokenIntrospection(configuration, await tokenFor(api.url))).toEqual({
      active: false,
    });
  });

  test.each(['ES256', 'EdDSA', 'RS256', 'PS256'] as const)(
    'openid-client verifies introspection signed by %s with the published keys (RFC 9701)',
    async (algorithm) => {
      await using signing = await openSite({ signingKeys: { algorithm, encryptionSecret: KEY_SECRET } });
      const server = await signing.client({ introspection: true, grantTypes: ['client_credentials'] });
      const configuration = await openid.discovery(
        new URL(signing.url),
        server.clientId,
        { introspection_signed_response_alg: algorithm },
        openid.ClientSecretBasic(server.clientSecret),
        { ...OPTIONS, execute: [openid.allowInsecureRequests, openid.enableNonRepudiationChecks] },
      );
      const { access_token: token } = await openid.clientCredentialsGrant(configuration, {
        scope: 'profile',
      });
      expect(await openid.tokenIntrospection(configuration, token)).toMatchObject({
        active: true,
        client_id: server.clientId,
        scope: 'profile',
      });
      expect(await openid.tokenIntrospection(configuration, 'unknown')).toEqual({ active: false });
    },
  );
});
