import { describe, expect, test } from '@jest/globals';
import { CompactEncrypt, importJWK, type JWK } from 'jose';
import * as openid from 'openid-client';

import type { ClientWithSecret } from '../../lib/index.js';
import { createTestKey } from '../support/assertions.js';
import { openJwksServer } from '../support/jwks-server.js';
import { createPerson } from '../support/person.js';
import { openSite, REDIRECT_URI } from '../support/site.js';
import { fixture, siteFor } from '../support/site-for.js';

const site = siteFor({
  clientAuthentication: {
    secretKey: 'a key of the host, kept elsewhere than the database',
    allowPrivateAddresses: true,
  },
  signedRequests: { encryption: true },
  pushedRequests: true,
});
/** The same without a clientAuthentication.secretKey. */
const plain = fixture(() => openSite({ database: site.database }));
const jwksServer = fixture(() => openJwksServer());
/** Discovery, code with PKCE, refresh, introspection, revocation; only the issuer is known beforehand. */
async function runFlows(client: ClientWithSecret, authentication: openid.ClientAuth): Promise<void> {
  const configuration = await openid.discovery(
    new URL(site.url),
    client.clientId,
    undefined,
    authentication,
    { algorithm: 'oauth2', execute: [openid.allowInsecureRequests] },
  );
  const pkceCodeVerifier = openid.randomPKCECodeVerifier();
  const expectedState = openid.randomState();
  const url = openid.buildAuthorizationUrl(configuration, {
    redirect_uri: REDIRECT_URI,
    scope: 'photos:read',
    state: expectedState,
    code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  });
  const person = createPerson(site);
  await person.logIn();
  const callback = await person.authorize(Object.fromEntries(url.searchParams));
  const tokens = await openid.authorizationCodeGrant(configuration, callback, {
    pkceCodeVerifier,
    expectedState,
  });
  const refreshed = await openid.refreshTokenGrant(configuration, tokens.refresh_token!);
  expect(await openid.tokenIntrospection(configuration, refreshed.access_token)).toMatchObject({
    active: true,
    client_id: client.clientId,
    sub: 'ada',
  });
  await openid.tokenRevocation(configuration, refreshed.refresh_token!);
  expect(await openid.tokenIntrospection(configuration, refreshed.access_token)).toEqual({ active: false });
  expect((await openid.clientCredentialsGrant(configuration, { scope: 'photos:read' })).token_type).toBe(
    'bearer',
  );
}

/** Encrypts a signed request for the key in the metadata. */
async function encryptFor(metadata: openid.ServerMetadata, alg: string, request: string): Promise<string> {
  expect(metadata.request_object_encryption_alg_values_supported).toContain(alg);
  expect(metadata.request_object_encryption_enc_values_supported).toContain('A256GCM');
  const { keys } = (await (await fetch(metadata.jwks_uri!)).json()) as { keys: JWK[] };
  const jwk = keys.find(({ use, kty }) => use === 'enc' && (kty === 'RSA') === alg.startsWith('RSA'))!;
  return new CompactEncrypt(new TextEncoder().encode(request))
    .setProtectedHeader({ alg, enc: 'A256GCM', kid: jwk.kid!, cty: 'JWT' })
    .encrypt(await importJWK(jwk, alg));
}

describe('openid-client, by discovery only', () => {
  test.each(['ES256', 'PS256', 'EdDSA'])('openid-client by PrivateKeyJwt with %s, by value', async (alg) => {
    const { privateKey, publicJwk } = await createTestKey(alg);
    const client = await site.client({ jwks: { keys: [publicJwk] }, introspection: true });
    await runFlows(client, openid.PrivateKeyJwt({ key: privateKey, kid: publicJwk.kid as string }));
  });

  test('openid-client by PrivateKeyJwt, keys by jwks_uri', async () => {
    const { privateKey, publicJwk } = await createTestKey();
    jwksServer.json({ keys: [publicJwk] });
    const client = await site.client({ jwksUri: jwksServer.url, introspection: true });
    await runFlows(client, openid.PrivateKeyJwt({ key: privateKey, kid: publicJwk.kid as string }));
    expect(jwksServer.requests).toHaveLength(1);
  });

  test('openid-client by ClientSecretJwt', async () => {
    const client = await site.client({ tokenEndpointAuthMethod: 'client_secret_jwt', introspection: true });
    await runFlows(client, openid.ClientSecretJwt(client.clientSecret));
  });

  test.each([undefined, 'ECDH-ES', 'ECDH-ES+A128KW', 'ECDH-ES+A256KW', 'RSA-OAEP-256'])(
    'openid-client signs a request, and jose encrypts it by %s, by value and pushed',
    async (alg) => {
      const { privateKey, publicJwk } = await createTestKey();
      const own = { key: privateKey, kid: publicJwk.kid as string };
      const client = await site.client({
        jwks: { keys: [publicJwk] },
        tokenEndpointAuthMethod: 'private_key_jwt',
        requireSignedRequestObject: true,
        ...(alg && { requestObjectEncryptionAlg: alg, requestObjectEncryptionEnc: 'A256GCM' }),
        trusted: true,
      });
      const configuration = await openid.discovery(
        new URL(site.url),
        client.clientId,
        undefined,
        openid.PrivateKeyJwt(own),
        { algorithm: 'oauth2', execute: [openid.allowInsecureRequests] },
      );
      const person = createPerson(site);
      await person.logIn();
      for (const isPushed of [false, true]) {
        const [expectedState, pkceCodeVerifier] = [openid.randomState(), openid.randomPKCECodeVerifier()];
        const url = await openid.buildAuthorizationUrlWithJAR(
          configuration,
          {
            redirect_uri: REDIRECT_URI,
            scope: 'photos:read',
            state: expectedState,
            code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
            code_challenge_method: 'S256',
          },
          own,
        );
        if (alg !== undefined)
          url.searchParams.set(
            'request',
            await encryptFor(configuration.serverMetadata(), alg, url.searchParams.get('request')!),
          );
        const sent = isPushed
          ? await openid.buildAuthorizationUrlWithPAR(configuration, url.searchParams)
          : url;
        const callback = await person.authorize(Object.fromEntries(sent.searchParams));
        const tokens = await openid.authorizationCodeGrant(configuration, callback, {
          pkceCodeVerifier,
          expectedState,
        });
        expect(tokens.scope).toBe('photos:read');
      }
    },
  );

  test("the metadata have the server's authentication methods and algorithms (RFC 8414 §2)", async () => {
    const metadata = (await (
      await fetch(`${site.url}/.well-known/oauth-authorization-server`)
    ).json()) as Record<string, string[]>;
    for (const endpoint of ['token', 'revocation', 'introspection']) {
      expect(metadata[`${endpoint}_endpoint_auth_methods_supported`]).toEqual(
        expect.arrayContaining([
          'client_secret_basic',
          'client_secret_post',
          'private_key_jwt',
          'client_secret_jwt',
        ]),
      );
      expect(metadata[`${endpoint}_endpoint_auth_signing_alg_values_supported`]).toEqual(
        expect.arrayContaining(['ES256', 'RS256', 'EdDSA', 'HS256']),
      );
      // RFC 8414 §2: the value "none" MUST NOT be used
      expect(metadata[`${endpoint}_endpoint_auth_signing_alg_values_supported`]).not.toContain('none');
    }
    const without = (await (
      await fetch(`${plain.url}/.well-known/oauth-authorization-server`)
    ).json()) as Record<string, string[]>;
    expect(without.token_endpoint_auth_methods_supported).not.toContain('client_secret_jwt');
    expect(without.token_endpoint_auth_signing_alg_values_supported).not.toContain('HS256');
  });
});
