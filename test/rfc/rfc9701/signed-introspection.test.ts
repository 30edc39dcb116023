import { describe, expect, test } from '@jest/globals';
import { createLocalJWKSet, decodeJwt, jwtVerify } from 'jose';
import request from 'supertest';

import { fetchKeys } from '../../support/jwt.js';
import { refusal } from '../../support/refusal.js';
import { KEY_SECRET, openSite } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';
import { callApi, clientRequest, obtainTokens } from '../../support/tokens.js';

const JWT = 'application/token-introspection+jwt';

describe('RFC 9701: JWT response for token introspection', () => {
  const site = siteFor({ signingKeys: { algorithm: 'EdDSA', encryptionSecret: KEY_SECRET } });
  const client = fixture(() => site.client());
  const resourceServer = fixture(() =>
    site.client({ introspection: true, grantTypes: ['client_credentials'] }),
  );

  const introspect = (token: string, accept: string, by = resourceServer) =>
    clientRequest(site, by, '/oauth/introspect', { token }).set('Accept', accept);
  const read = async (jwt: string) =>
    jwtVerify(jwt, createLocalJWKSet({ keys: await fetchKeys(site) }), {
      issuer: site.url,
      audience: resourceServer.clientId,
    });

  test('§4, §5 a request for the JWT media type gets a JWT signed for the resource server [5-1] [5-2] [5-3] [5-4] [5-5] [5-8]', async () => {
    const { access_token: token } = await obtainTokens(site, client, { query: { scope: 'profile' } });
    const response = await introspect(token, JWT);
    expect(response.headers).toMatchObject({ 'content-type': JWT, 'cache-control': 'no-store' });
    const { payload, protectedHeader } = await read(response.text);
    expect(protectedHeader).toMatchObject({ typ: 'token-introspection+jwt', alg: 'EdDSA' });
    expect(payload).toEqual({
      iss: site.url,
      aud: resourceServer.clientId,
      iat: expect.any(Number),
      token_introspection: expect.objectContaining({
        active: true,
        sub: 'ada',
        scope: 'profile',
        client_id: client.clientId,
      }),
    });
  });

  test('§5 the JWT for an inactive token has only active: false [5-6]', async () => {
    expect((await read((await introspect('unknown', JWT)).text)).payload.token_introspection).toEqual({
      active: false,
    });
  });

  test('§5 a resource server learns only about tokens for its resources [5-6] [5-7]', async () => {
    const [albums, photos] = ['https://albums.example', 'https://api.photos.example'];
    await using several = await openSite({ resources: { [albums]: { scopes: ['profile'] }, [photos]: {} } });
    const server = await several.client({
      introspection: true,
      resources: [albums],
      grantTypes: ['client_credentials'],
    });
    const app = await several.client();
    const reported = async (resource: string) => {
      const { access_token: token } = await obtainTokens(several, app, { query: { resource } });
      const response = await clientRequest(several, server, '/oauth/introspect', { token }).set(
        'Accept',
        JWT,
      );
      return decodeJwt(response.text).token_introspection;
    };
    expect(await reported(albums)).toMatchObject({ active: true, aud: albums, scope: 'profile' });
    expect(await reported(photos)).toEqual({ active: false });
  });

  test('§4 introspection with another Accept header, and an error, are answered with JSON [4-1]', async () => {
    for (const accept of ['application/json', '*/*', `application/json, ${JWT};q=0.5`, 'text/html'])
      expect((await introspect('unknown', accept)).body).toEqual({ active: false });
    expect(await introspect('unknown', JWT, { ...resourceServer, clientSecret: 'wrong' })).toMatchObject(
      refusal(401, 'invalid_client'),
    );
    expect(await introspect('unknown', JWT, client)).toMatchObject(refusal(403, 'unauthorized_client'));
  });

  test('§8.1 a JWT introspection response is refused as an access token', async () => {
    const { access_token: token } = await obtainTokens(site, client);
    expect((await callApi(site, (await introspect(token, JWT)).text)).status).toBe(401);
  });

  test('§7 the metadata lists the algorithm of introspection responses', async () => {
    expect(
      (await request(site.server).get('/.well-known/oauth-authorization-server')).body
        .introspection_signing_alg_values_supported,
    ).toEqual(['EdDSA']);
  });
});
