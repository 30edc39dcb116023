import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { decodeJwt } from 'jose';
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
afterAll(() => example.close());

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

/** A client credentials token. */
async function tokenFor(name: Name, scope = SCOPE[name], as = viewer): Promise<string> {
  const resource = resourceOf(name);
  return (await client.clientCredentialsGrant(as, { scope, ...(resource !== undefined && { resource }) }))
    .access_token;
}

function call(name: Name, token: string, message: object = INITIALIZE): Promise<Response> {
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
    body: JSON.stringify(message),
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

  test('a token has no scope of another resource', async () => {
    await expect(tokenFor('albums', 'albums:order')).rejects.toMatchObject({ error: 'invalid_scope' });
    expect(decodeJwt(await tokenFor('albums', 'albums:read albums:order')).scope).toBe('albums:read');
  });

  test('the album API knows the user by the token alone', async () => {
    const pkceCodeVerifier = client.randomPKCECodeVerifier();
    const redirectUri = `${example.issuer}/playground/callback`;
    const url = client.buildAuthorizationUrl(viewer, {
      scope: 'albums:read',
      resource: example.albumUrl,
      redirect_uri: redirectUri,
      code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
    });
    const { access_token: token } = await client.authorizationCodeGrant(
      viewer,
      await authorize(example.issuer, url, redirectUri),
      { pkceCodeVerifier },
    );
    const answer = (await (await call('albums', token)).json()) as { for: string; userId: string };
    expect(answer).toMatchObject({ for: 'Ada Lovelace', albums: [{ id: 'mountains' }, { id: 'weather' }] });
    expect(answer.userId).toBe(decodeJwt(token).sub);
  });

  test('a missing path of the APIs is 404, and JSON', async () => {
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

  test('the MCP tool refuses a malformed title in the words of the API', async () => {
    const add = { name: 'add_photo', arguments: { title: 'half a \ud800 or a \u0000' } };
    const message = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: add };
    const token = await tokenFor('mcp', 'photos:read photos:write', await discover('roof-webcam'));
    const text = await (await call('mcp', token, message)).text();
    expect(text).toContain('"isError":true');
    expect(text).toContain('title has characters that cannot be shown');
  });
});
