import { afterAll, describe, expect, test } from '@jest/globals';

import type { ClientWithSecret, NewClient } from '../../../lib/index.js';
import { createTestKey, macAssertion, now, postAssertion, signAssertion } from '../../support/assertions.js';
import { letPass } from '../../support/clock.js';
import { refusal } from '../../support/refusal.js';
import { openSite, type Site, startLike } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';
import { basic, postToken } from '../../support/tokens.js';

/** Seconds for which the old secret works. */
const SECRET_OVERLAP = 86_400;
const KEY = 'a key of the host, kept elsewhere than the database';

const site = siteFor({
  security: { rateLimits: false },
  clientAuthentication: { secretKey: KEY },
});
const more: Site[] = [];
const client = fixture(() => register());
afterAll(() => Promise.all(more.map((each) => each.close())));

/** Another process of the same server, with another secret key. */
async function openWith(secretKey?: string | readonly string[]): Promise<Site> {
  const opened = await openSite({
    database: site.database,
    issuer: site.url,
    security: { rateLimits: false },
    ...(secretKey !== undefined && { clientAuthentication: { secretKey } }),
  });
  more.push(opened);
  return opened;
}

const register = (metadata: Partial<NewClient> = {}) =>
  site.client({
    grantTypes: ['client_credentials'],
    redirectUris: [],
    tokenEndpointAuthMethod: 'client_secret_jwt',
    ...metadata,
  });
const secretOf = ({ clientSecret }: ClientWithSecret) => clientSecret ?? '';
const storedClient = (clientId: string) => site.database.find('oauth_clients', clientId);
const statusFor = async (secret: string, by: ClientWithSecret = client, at = site) =>
  (await postAssertion(at, await macAssertion(site, by.clientId, secret))).status;
const isRefused = async (assertion: string, at = site) =>
  expect(await postAssertion(at, assertion)).toMatchObject(refusal(401, 'invalid_client'));

describe('OpenID Connect Core §9 client_secret_jwt', () => {
  test('a client authenticates with a JWT that has a MAC by its secret', async () => {
    expect(await statusFor(secretOf(client))).toBe(200);
  });

  test('a JWT with another secret, another algorithm or no algorithm is refused', async () => {
    await isRefused(await macAssertion(site, client.clientId, 'another secret of more than 32 characters'));
    for (const alg of ['HS384', 'HS512'])
      await isRefused(
        await macAssertion(site, client.clientId, secretOf(client).padEnd(64, '='), { header: { alg } }),
      );
    const [, payload = ''] = (await macAssertion(site, client.clientId, secretOf(client))).split('.');
    await isRefused(`${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`);
  });

  test('a JWT that is used again or has wrong claims is refused', async () => {
    const assertion = await macAssertion(site, client.clientId, secretOf(client));
    expect((await postAssertion(site, assertion)).status).toBe(200);
    await isRefused(assertion);
    for (const claims of [
      { exp: now() - 60 },
      { aud: 'https://evil.example' },
      { iss: 'another' },
      { jti: undefined },
    ]) {
      await isRefused(await macAssertion(site, client.clientId, secretOf(client), { claims }));
    }
  });

  test('both secrets are valid during a rotation, and later the new secret alone', async () => {
    const own = await register();
    const rotated = await site.oauth.clients.rotateSecret(own.clientId);
    for (const secret of [secretOf(rotated!), secretOf(own)]) {
      const assertion = await macAssertion(site, own.clientId, secret);
      expect((await postAssertion(site, assertion)).status).toBe(200);
      await isRefused(assertion);
      expect(site.errors.at(-1)?.detail).toMatch(/used before/);
    }
    letPass(SECRET_OVERLAP);
    await isRefused(await macAssertion(site, own.clientId, secretOf(own)));
    expect(await statusFor(secretOf(rotated!), own)).toBe(200);
  });

  test('the secret itself in the header or the body is refused', async () => {
    for (const response of [
      await postToken(site, { grant_type: 'client_credentials' }).set(
        'Authorization',
        basic(client.clientId, secretOf(client)),
      ),
      await postToken(site, {
        grant_type: 'client_credentials',
        client_id: client.clientId,
        client_secret: client.clientSecret,
      }),
    ])
      expect(response).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
  });
});

describe('HS and RS confusion', () => {
  test('a JWT signed with a key is refused for a client with a secret', async () => {
    await isRefused(await signAssertion(site, client.clientId, await createTestKey('RS256')));
  });

  test('a JWT with a MAC by the stored hash or ciphertext of the secret is refused', async () => {
    const [stored] = (await storedClient(client.clientId))!.secrets;
    for (const text of [stored.hash, stored.sealed])
      await isRefused(await macAssertion(site, client.clientId, text));
  });
});

describe('stored secrets', () => {
  test('only secrets of client_secret_jwt are stored encrypted', async () => {
    const [stored] = (await storedClient(client.clientId))!.secrets;
    expect(JSON.parse(Buffer.from(stored.sealed.split('.')[0], 'base64url').toString())).toEqual({
      alg: 'dir',
      enc: 'A256GCM',
    });
    expect(JSON.stringify(await storedClient(client.clientId))).not.toContain(client.clientSecret);
    const defaultValue = await site.client();
    expect((await storedClient(defaultValue.clientId))!.secrets[0]).not.toHaveProperty('sealed');
    expect(JSON.stringify(await site.oauth.clients.find(client.clientId))).not.toContain('sealed');
  });

  test('the ciphertext of one client is useless for another client', async () => {
    const own = await register();
    const stolen = (await storedClient(client.clientId))!.secrets[0].sealed;
    await site.database.update('oauth_clients', own.clientId, { $set: { 'secrets.0.sealed': stolen } });
    expect(await statusFor(secretOf(client), own)).not.toBe(200);
  });

  test('secretKey accepts a new key before the old key, and a missing old key is answered 500', async () => {
    const newer = await openWith(['another key of the host, made today', KEY]);
    const other = await openWith('another key of the host, made today');
    expect(await statusFor(secretOf(client), client, newer)).toBe(200);
    expect(await statusFor(secretOf(client), client, other)).toBe(500);
    expect(other.errors.at(-1)).toMatchObject({ error: 'server_error' });
  });

  test('a client that changes to client_secret_jwt needs a new secret', async () => {
    const own = await site.client({ grantTypes: ['client_credentials'], redirectUris: [] });
    await site.oauth.clients.update(own.clientId, { tokenEndpointAuthMethod: 'client_secret_jwt' });
    await isRefused(await macAssertion(site, own.clientId, secretOf(own)));
    expect(site.errors.at(-1)?.detail).toMatch(/rotateSecret/);
    const rotated = await site.oauth.clients.rotateSecret(own.clientId);
    expect(await statusFor(secretOf(rotated!), own)).toBe(200);
  });

  test('RFC 7518 §3.2 a chosen secret needs at least 32 bytes', async () => {
    const brought = 'thirty-two bytes of somebody, or';
    await expect(register({ clientSecret: brought.slice(1) })).rejects.toMatchObject({
      error: 'invalid_client_metadata',
      message: expect.stringContaining('32 bytes'),
    });
    const own = await register({ clientSecret: brought });
    expect(await statusFor(brought, own)).toBe(200);
  });
});

test('client_secret_jwt cannot be used without a secretKey', async () => {
  const plain = await openWith();
  await expect(plain.client({ tokenEndpointAuthMethod: 'client_secret_jwt' })).rejects.toMatchObject({
    error: 'invalid_client_metadata',
    message: expect.stringContaining('is not on'),
  });
  await isRefused(await macAssertion(site, client.clientId, secretOf(client)), plain);
});

test.each([
  [{ clientAuthentication: { secretKey: [] } }, /clientAuthentication.secretKey/],
  [
    { clientAuthentication: { assertions: { audience: 'anybody' } } },
    /clientAuthentication.assertions.audience must be 'issuer'/,
  ],
  [
    { clientAuthentication: { assertions: { maxTTL: 5 } } },
    /clientAuthentication.assertions has an unknown member 'maxTTL'; did you mean 'maxTtl'/,
  ],
])('the server does not start with %j', (option, text) => {
  expect(() => startLike(site, option)).toThrow(text);
});
