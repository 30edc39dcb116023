import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createRemoteJWKSet, decodeJwt, jwtVerify, UnsecuredJWT } from 'jose';
import * as client from 'openid-client';

import { type RunningExample, startExample } from './support/example.js';
import { authorize } from './support/flows.js';

type Name = 'photos' | 'albums' | 'orders' | 'mcp';

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'by hand', version: '1' } },
};
const SCOPE: Readonly<Record<Name, string>> = {
  photos: 'photos:read',
  albums: 'albums:read',
  orders: 'albums:order',
  mcp: 'photos:read',
};
const NAMES = Object.keys(SCOPE) as Name[];

let example: RunningExample;
let viewer: client.Configuration;
beforeAll(async () => {
  example = await startExample();
  viewer = await discover('album-viewer');
});
afterAll(() => example.stop());

function discover(clientId: string): Promise<client.Configuration> {
  return client.discovery(new URL(example.issuer), clientId, `${clientId}-demo-secret`, undefined, {
    algorithm: 'oauth2',
    execute: [client.allowInsecureRequests],
  });
}

const resourceOf = (name: Name) =>
  ({
    photos: undefined,
    albums: example.albumUrl,
    orders: `${example.albumUrl}/orders`,
    mcp: `${example.issuer}/mcp`,
  })[name];

/** A token with which the client acts for itself. */
async function tokenFor(name: Name, scope = SCOPE[name]): Promise<string> {
  const resource = resourceOf(name);
  return (await client.clientCredentialsGrant(viewer, { scope, ...(resource !== undefined && { resource }) }))
    .access_token;
}

function call(name: Name, token: string): Promise<Response> {
  const headers = { Authorization: `Bearer ${token}` };
  if (name === 'photos') return fetch(`${example.issuer}/api/photos`, { headers });
  if (name === 'albums') return fetch(`${example.albumUrl}/albums`, { headers });
  if (name === 'orders') return fetch(`${example.albumUrl}/orders/mountains`, { method: 'POST', headers });
  return fetch(`${example.issuer}/mcp`, {
    method: 'POST',
    headers: {
      ...headers,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify(INITIALIZE),
  });
}

/** Tokens of the demo user, through the consent page. */
async function authorizeAsAda(
  configuration: client.Configuration,
  redirectUri: string,
  parameters: Record<string, string>,
): Promise<client.TokenEndpointResponse> {
  const pkceCodeVerifier = client.randomPKCECodeVerifier();
  const url = client.buildAuthorizationUrl(configuration, {
    ...parameters,
    redirect_uri: redirectUri,
    state: 'xyz',
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  });
  return client.authorizationCodeGrant(configuration, await authorize(example.issuer, url, redirectUri), {
    pkceCodeVerifier,
    expectedState: 'xyz',
  });
}

describe('the resource servers of the example', () => {
  test.each(NAMES)(
    'a token for %s is accepted there and refused at the others (RFC 8707 §2, RFC 9700 §2.3)',
    async (name) => {
      const token = await tokenFor(name);
      for (const other of NAMES) {
        const response = await call(other, token);
        if (other === name) expect([other, response.ok]).toEqual([other, true]);
        else
          expect([other, response.status, response.headers.get('www-authenticate')]).toEqual([
            other,
            401,
            expect.stringContaining('error="invalid_token"'),
          ]);
      }
    },
  );

  test.each(['albums', 'orders', 'mcp'] as const)(
    '%s says by its challenge where tokens for it come from (RFC 9728 §5)',
    async (name) => {
      const refused = await call(name, '');
      const [, metadataUrl = ''] =
        /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '') ?? [];
      expect(await (await fetch(metadataUrl)).json()).toMatchObject({
        resource: resourceOf(name),
        authorization_servers: [example.issuer],
      });
    },
  );

  test('a token has no scope of another resource', async () => {
    await expect(tokenFor('albums', 'albums:order')).rejects.toMatchObject({ error: 'invalid_scope' });
    expect(decodeJwt(await tokenFor('albums', 'albums:read albums:order')).scope).toBe('albums:read');
  });

  test('the album API knows the person who has allowed it, by the token alone', async () => {
    const { access_token: token } = await authorizeAsAda(viewer, `${example.issuer}/playground/callback`, {
      scope: 'albums:read',
      resource: example.albumUrl,
    });
    const answer = (await (await call('albums', token)).json()) as { for: string; userId: string };
    expect(answer).toMatchObject({ for: 'Ada Lovelace', albums: [{ id: 'mountains' }, { id: 'weather' }] });
    expect(answer.userId).toBe(decodeJwt(token).sub);
  });

  test('its tokens are JWTs that any library verifies by what it discovers (RFC 9068 §4)', async () => {
    const { jwks_uri: keys = '' } = viewer.serverMetadata();
    const { payload } = await jwtVerify(await tokenFor('albums'), createRemoteJWKSet(new URL(keys)), {
      issuer: example.issuer,
      audience: example.albumUrl,
      typ: 'at+jwt',
      algorithms: ['ES256'],
    });
    expect(payload.exp! - payload.iat!).toBe(600);
  });

  test('what only looks like its tokens is refused', async () => {
    const token = await tokenFor('albums');
    const [header, payload, signature] = token.split('.') as [string, string, string];
    const unsigned = new UnsecuredJWT(decodeJwt(token)).encode();
    const promoted = Buffer.from(JSON.stringify({ ...decodeJwt(token), sub: 'ada' })).toString('base64url');
    for (const forged of [
      unsigned,
      `${header}.${promoted}.${signature}`,
      `${header}.${payload}.${'A'.repeat(86)}`,
    ]) {
      expect([(await call('albums', forged)).status, (await call('orders', forged)).status]).toEqual([
        401, 401,
      ]);
    }
  });

  test('what there is not is 404, and JSON', async () => {
    const token = await tokenFor('orders');
    const order = await fetch(`${example.albumUrl}/orders/nothing`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}` },
    });
    const page = await fetch(`${example.albumUrl}/`);
    for (const response of [order, page])
      expect([response.status, await response.json()]).toEqual([
        404,
        expect.objectContaining({ error: 'not_found' }),
      ]);
  });
});

describe('what becomes of tokens', () => {
  test('a token that was revoked buys nothing more (RFC 7009)', async () => {
    const token = await tokenFor('orders');
    expect((await call('orders', token)).status).toBe(201);
    await client.tokenRevocation(viewer, token);
    expect((await call('orders', token)).status).toBe(401);
  });

  test('introspection says whose a token is and for what, and that one was revoked, a JWT as well (RFC 7662)', async () => {
    const api = await discover('album-api');
    for (const name of ['albums', 'orders'] as const) {
      const token = await tokenFor(name);
      expect(await client.tokenIntrospection(api, token)).toMatchObject({
        active: true,
        client_id: 'album-viewer',
        aud: resourceOf(name),
        scope: SCOPE[name],
      });
      await client.tokenRevocation(viewer, token);
      expect(await client.tokenIntrospection(api, token)).toEqual({ active: false });
    }
    await expect(client.tokenIntrospection(viewer, await tokenFor('orders'))).rejects.toMatchObject({
      status: 403,
    });
  });
});

describe('a client that registers itself (RFC 7591)', () => {
  const redirectUri = 'http://127.0.0.1:49153/callback';
  // openid-client authenticates by client_secret_post where it is not told otherwise
  const registerClient = (metadata: Partial<client.ClientMetadata>) =>
    client.dynamicClientRegistration(
      new URL(example.issuer),
      { redirect_uris: [redirectUri], token_endpoint_auth_method: 'client_secret_post', ...metadata },
      undefined,
      { algorithm: 'oauth2', execute: [client.allowInsecureRequests] },
    );

  test('gets a token of a person, for the resource that it names, and can take itself away again', async () => {
    const configuration = await registerClient({
      client_name: 'Nobody knows me',
      scope: 'albums:read photos:read',
    });
    const { access_token: token } = await authorizeAsAda(configuration, redirectUri, {
      scope: 'albums:read',
      resource: example.albumUrl,
    });
    expect(await (await call('albums', token)).json()).toMatchObject({ for: 'Ada Lovelace' });

    const { registration_client_uri: uri, registration_access_token: key } =
      configuration.clientMetadata() as Readonly<Record<string, unknown>>;
    const gone = await fetch(String(uri), {
      method: 'DELETE',
      headers: { Authorization: `Bearer ${String(key)}` },
    });
    expect(gone.status).toBe(204);
    expect(await client.tokenIntrospection(await discover('album-api'), token)).toEqual({ active: false });
  });

  test('cannot act for itself, nor ask about tokens', async () => {
    const configuration = await registerClient({ grant_types: ['authorization_code', 'client_credentials'] });
    await expect(client.clientCredentialsGrant(configuration)).rejects.toMatchObject({
      error: 'unauthorized_client',
    });
    await expect(client.tokenIntrospection(configuration, await tokenFor('orders'))).rejects.toMatchObject({
      status: 403,
    });
  });
});
