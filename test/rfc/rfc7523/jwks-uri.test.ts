import type { RequestListener } from 'node:http';

import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Response } from 'supertest';

import { KEYS_COOLDOWN } from '../../../lib/core/client-authentication/client-keys.js';
import { PUBLIC_ADDRESSES } from '../../../lib/core/clients/untrusted-fetch-limits.js';
import type { ClientWithSecret, PublicJwks } from '../../../lib/index.js';
import { fetchJson } from '../../../lib/shared/outbound/safe-fetch.js';
import { createTestKey, postAssertion, signAssertion } from '../../support/assertions.js';
import { letLimitEnd, letPass } from '../../support/clock.js';
import { openJwksServer } from '../../support/jwks-server.js';
import type { Site } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';
import { basic, postToken } from '../../support/tokens.js';

let count = 0;

/** The default: no key is fetched from a private address. */
const site = siteFor({ security: { rateLimits: false } });
/** The same site, where keys of clients may be on loopback. */
const inside = siteFor(() => ({
  database: site.database,
  issuer: site.url,
  security: { rateLimits: false },
  clientAuthentication: { allowPrivateAddresses: true },
}));
const jwksServer = fixture(() => openJwksServer());
const tls = fixture(() => openJwksServer({ tls: true }));
const key = fixture(() => createTestKey());
beforeEach(() => {
  jwksServer.requests.length = 0;
  jwksServer.json({ keys: [key.publicJwk] });
});

/** Each client has its own URI, so that no key is cached. */
const register = (jwksUri = `${jwksServer.url}/${(count += 1)}`) =>
  site.client({ grantTypes: ['client_credentials'], redirectUris: [], jwksUri });
const send = async (client: ClientWithSecret, by = key, at = inside) =>
  postAssertion(at, await signAssertion(site, client.clientId, by));

function expectInvalidClient(response: Response, at: Site, detail: RegExp): void {
  expect(response.status).toBe(401);
  expect(response.body).toEqual({
    error: 'invalid_client',
    error_description: 'the keys of the client could not be fetched from its jwks_uri',
  });
  expect(at.errors.at(-1)?.detail).toMatch(detail);
}

/** Another client, at the same server, still gets its token. */
async function expectUnharmed(at: Site): Promise<void> {
  const { clientId, clientSecret = '' } = await site.client({
    grantTypes: ['client_credentials'],
    redirectUris: [],
  });
  expect(
    (
      await postToken(at, { grant_type: 'client_credentials' }).set(
        'Authorization',
        basic(clientId, clientSecret),
      )
    ).status,
  ).toBe(200);
}

describe('RFC 7591 §2 jwks_uri: fetched keys', () => {
  test('the keys at jwks_uri authenticate the client and are fetched once', async () => {
    const client = await register();
    expect(client).toMatchObject({ tokenEndpointAuthMethod: 'private_key_jwt', jwksUri: expect.any(String) });
    expect((await send(client)).status).toBe(200);
    expect((await send(client)).status).toBe(200);
    expect(jwksServer.requests).toHaveLength(1);
  });

  test.each<[string, object]>([
    ['of an unknown type', { kty: 'AKP', alg: 'ML-DSA-44', kid: 'new', pub: 'AAAA' }],
    ['with an object in it', { kty: 'XYZ', kid: 'new', parameters: { level: 2 } }],
    ['that is too small', { kty: 'RSA', n: Buffer.alloc(128, 1).toString('base64url'), e: 'AQAB' }],
    ['without its kty', { kid: 'new' }],
  ])('a key %s is ignored, and other keys are used (RFC 7517 §5)', async (_what, unusable) => {
    const keys = [unusable, key.publicJwk];
    jwksServer.json({ keys });
    expect((await send(await register())).status).toBe(200);
    const byValue = await site.client({
      grantTypes: ['client_credentials'],
      redirectUris: [],
      jwks: { keys } as unknown as PublicJwks,
    });
    expect((await send(byValue)).status).toBe(200);
  });

  test('a private key makes the whole key set invalid', async () => {
    const keys = [{ kty: 'AKP', priv: 'AAAA' }, key.publicJwk] as unknown as PublicJwks['keys'];
    jwksServer.json({ keys });
    expectInvalidClient(await send(await register()), inside, /private or secret/);
    await expect(site.client({ jwks: { keys } })).rejects.toThrow('private or secret');
  });

  test('concurrent requests wait for one fetch of the keys', async () => {
    const client = await register();
    const statuses = await Promise.all(Array.from({ length: 10 }, async () => (await send(client)).status));
    expect(statuses).toEqual(Array(10).fill(200));
    expect(jwksServer.requests).toHaveLength(1);
  });

  test('an unknown kid leads to a new fetch once the cooldown is over', async () => {
    const client = await register();
    const next = await createTestKey();
    await send(client);
    jwksServer.json({ keys: [next.publicJwk, key.publicJwk] });
    expect((await send(client, next)).body.error).toBe('invalid_client');
    expect(jwksServer.requests).toHaveLength(1);
    letPass(KEYS_COOLDOWN);
    expect((await send(client, next)).status).toBe(200);
    expect((await send(client, key)).status).toBe(200);
    expect(jwksServer.requests).toHaveLength(2);
  });

  test('unknown kids lead to one fetch in the cooldown, and known keys work if that fetch fails', async () => {
    const client = await register();
    await send(client);
    letPass(KEYS_COOLDOWN);
    jwksServer.answer((_req, res) => res.writeHead(500).end());
    const strangers = await Promise.all(Array.from({ length: 5 }, () => createTestKey()));
    for (const stranger of strangers)
      expect((await send(client, stranger)).body.error).toBe('invalid_client');
    expect(jwksServer.requests).toHaveLength(2);
    expect((await send(client)).status).toBe(200);
  });

  test('a removed key is refused once the cache has expired', async () => {
    const client = await register();
    await send(client);
    jwksServer.json({ keys: [(await createTestKey()).publicJwk] });
    letPass(600);
    expect((await send(client)).body.error).toBe('invalid_client');
  });

  test('no key is fetched in the cooldown after a failure', async () => {
    const client = await register();
    jwksServer.answer((_req, res) => res.writeHead(503).end());
    for (let i = 0; i < 3; i += 1) expectInvalidClient(await send(client), inside, /status 503/);
    expect(jwksServer.requests).toHaveLength(1);
    jwksServer.json({ keys: [key.publicJwk] });
    letPass(KEYS_COOLDOWN);
    expect((await send(client)).status).toBe(200);
  });
});

/** Servers that hang, drip or hang up are tested in attacks/hostile-key-server. */
describe('harmful jwks_uris', () => {
  const endless = Buffer.alloc(64 * 1024, ' ');
  test.each<[string, RequestListener, RegExp]>([
    [
      'says it sends 100 MB',
      (_req, res) => void res.writeHead(200, { 'content-length': 100_000_000 }).write(endless),
      /more than 65536 bytes/,
    ],
    [
      'sends without end',
      (_req, res) => {
        const more = (): void => {
          while (!res.destroyed && res.write(endless));
        };
        res.on('drain', more);
        more();
      },
      /more than 65536 bytes/,
    ],
    [
      'has endless headers',
      (_req, res) => void res.writeHead(200, { 'x-long': 'x'.repeat(100_000) }).end('{}'),
      /Header|HPE/i,
    ],
    [
      'compresses',
      (_req, res) =>
        void res
          .writeHead(200, { 'content-encoding': 'gzip' })
          .end(Buffer.from('1f8b08000000000000ff', 'hex')),
      /not answer JSON/,
    ],
    ['sends HTML', (_req, res) => void res.end('<html>keys</html>'), /not answer JSON/],
    ['sends nothing', (_req, res) => void res.end(), /not answer JSON/],
    ['says 404', (_req, res) => void res.writeHead(404).end('{"keys":[]}'), /status 404/],
    [
      'redirects to a private address',
      (_req, res) => void res.writeHead(302, { location: `${jwksServer.url}/private` }).end(),
      /status 302/,
    ],
    [
      'redirects to a cloud’s metadata',
      (_req, res) => void res.writeHead(307, { location: 'http://169.254.169.254/latest/meta-data/' }).end(),
      /status 307/,
    ],
  ])('a jwks_uri that %s harms only its client', async (_what, listener, detail) => {
    const client = await register();
    jwksServer.answer(listener);
    expectInvalidClient(await send(client), inside, detail);
    expect(jwksServer.requests).toHaveLength(1);
    await expectUnharmed(inside);
  });

  test.each<[string, unknown, RegExp]>([
    ['null', null, /no key set/],
    ['a string', 'keys', /no key set/],
    ['a single key', { kty: 'EC' }, /no key set/],
    ['no keys', { keys: [] }, /0 keys/],
    ['a thousand keys', { keys: Array(1000).fill({ kty: 'EC' }) }, /1000 keys/],
    ['invalid keys', { keys: [1, null] }, /no JSON object/],
    ['a secret key', { keys: [{ kty: 'oct', k: 'c2VjcmV0' }] }, /private or secret/],
    ['a private key', { keys: [{ kty: 'EC', crv: 'P-256', x: 'x', y: 'y', d: 'd' }] }, /private or secret/],
    [
      'a short RSA key',
      { keys: [{ kty: 'RSA', n: Buffer.alloc(128, 1).toString('base64url'), e: 'AQAB' }] },
      /2048/,
    ],
    [
      'a giant RSA key',
      { keys: [{ kty: 'RSA', n: Buffer.alloc(4096, 1).toString('base64url'), e: 'AQAB' }] },
      /8192/,
    ],
    [
      'an RSA key with a giant exponent',
      {
        keys: [
          {
            kty: 'RSA',
            n: Buffer.alloc(256, 1).toString('base64url'),
            e: Buffer.alloc(256, 1).toString('base64url'),
          },
        ],
      },
      /8192/,
    ],
    ['a key with an object in it', { keys: [{ kty: 'EC', x: { $gt: '' } }] }, /another kind/],
  ])('a jwks_uri that answers %s leads to invalid_client', async (_what, body, detail) => {
    const client = await register();
    jwksServer.json(body);
    expectInvalidClient(await send(client), inside, detail);
  });

  test('a key that is no point of its curve leads to invalid_client', async () => {
    const client = await register();
    jwksServer.json({ keys: [{ kty: 'EC', crv: 'P-256', x: 'AAAA', y: 'AAAA', kid: key.publicJwk.kid }] });
    expect(await send(client)).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
  });

  test('a hundred clients whose key server hangs do not block other clients', async () => {
    const endLimit = letLimitEnd(PUBLIC_ADDRESSES.timeout, 'by hand');
    let open = 0;
    let maxOpen = 0;
    jwksServer.answer((_req, res) => {
      maxOpen = Math.max(maxOpen, (open += 1));
      res.once('close', () => (open -= 1));
    });
    const clients = await Promise.all(Array.from({ length: 100 }, () => register()));
    const hanging = clients.map((client) => send(client));
    await expectUnharmed(inside);
    const ending = setInterval(endLimit, 20);
    const errors = (await Promise.all(hanging)).map(({ body }) => body.error);
    clearInterval(ending);
    // a request beside 40 waiting requests is told to come back; the number depends on the machine
    const reported = errors.filter((error) => error === 'temporarily_unavailable');
    expect(errors.filter((error) => error === 'invalid_client')).toHaveLength(
      errors.length - reported.length,
    );
    expect(maxOpen).toBeGreaterThan(0);
    expect(maxOpen).toBeLessThanOrEqual(40);
  });
});

describe('a jwks_uri in the network of the server', () => {
  test.each([
    'https://127.0.0.1',
    'https://localhost',
    'https://sub.localhost',
    'https://localhost.',
    'https://[::1]',
    'https://10.0.0.1',
    'https://192.168.1.1',
    'https://172.16.0.1',
    'https://169.254.169.254',
    'https://[fe80::1]',
    'https://[fd00::1]',
    'https://[64:ff9b::7f00:1]',
    'https://100.64.0.1',
  ])('no key is fetched from %s', async (origin) => {
    const client = await register(`${origin}:${jwksServer.port}/jwks`);
    expectInvalidClient(await send(client, key, site), site, /not on the public internet/);
    expect(jwksServer.requests).toEqual([]);
  });

  test.each([
    'https://[::ffff:127.0.0.1]',
    'https://127.1',
    'https://2130706433',
    'https://0x7f.0.0.1',
    'https://0',
  ])('a jwks_uri at %s cannot be registered or fetched', async (origin) => {
    const url = `${origin}:${jwksServer.port}/jwks`;
    await expect(register(url)).rejects.toThrow('jwksUri');
    const limits = { allowPrivateAddresses: false, timeout: 1000, maxBytes: 1000 };
    await expect(fetchJson(url, limits)).rejects.toThrow('not on the public internet');
    expect(jwksServer.requests).toEqual([]);
  });

  test('a jwks_uri with http: is not fetched without allowPrivateAddresses', async () => {
    const client = await register();
    expectInvalidClient(await send(client, key, site), site, /not an https: URL/);
    expect(jwksServer.requests).toEqual([]);
  });

  test('a jwks_uri with an untrusted certificate is not fetched', async () => {
    tls.json({ keys: [key.publicJwk] });
    expectInvalidClient(await send(await register(tls.url)), inside, /self-signed/);
    expect(tls.requests).toEqual([]);
  });
});
