import { afterAll, describe, expect, test } from '@jest/globals';
import type { SignOptions } from 'jose';
import type { Response } from 'supertest';

import type { ClientWithSecret, NewClient } from '../../../lib/index.js';
import {
  type AssertionOptions,
  claimsOf,
  createTestKey,
  now,
  postAssertion,
  signAssertion,
  type TestKey,
} from '../../support/assertions.js';
import { commandsDuring } from '../../support/commands.js';
import { openDatabase } from '../../support/database.js';
import { fixture, siteFor } from '../../support/site-for.js';
import { basic, callApi, postToken } from '../../support/tokens.js';

const site = siteFor({ security: { rateLimits: false } });
/** A second process on the same database. */
const second = siteFor(async () => ({
  database: await openDatabase(site.database.connection.name),
  issuer: site.url,
  security: { rateLimits: false },
}));
/** The same site, which also accepts the token endpoint as aud. */
const lenient = siteFor(() => ({
  database: site.database,
  issuer: site.url,
  security: { rateLimits: false },
  clientAuthentication: { assertions: { audience: 'issuer_or_token_endpoint', maxTtl: 3600 } },
}));
const key = fixture(() => createTestKey());
const client = fixture(() => register({ jwks: { keys: [key.publicJwk] } }));
afterAll(() => second.database.connection.close());

const register = (more: Partial<NewClient>) =>
  site.client({ grantTypes: ['client_credentials'], redirectUris: [], ...more });
const send = async (options: AssertionOptions = {}, by = key, sign?: SignOptions) =>
  postAssertion(site, await signAssertion(site, client.clientId, by, { ...options, sign }));

const statusBy = async (by: TestKey, { clientId }: ClientWithSecret, options: AssertionOptions = {}) =>
  (await postAssertion(site, await signAssertion(site, clientId, by, options))).status;

function expectInvalidClient(response: Response, detail?: RegExp): void {
  expect(response.body).toMatchObject({ error: 'invalid_client' });
  expect(response.status).toBe(401);
  if (detail !== undefined) expect(site.errors.at(-1)?.detail).toMatch(detail);
}

describe('§2.2 client authentication with a signed JWT', () => {
  test('a client with keys has no secret, and gets a token with an assertion', async () => {
    expect(client.clientSecret).toBeUndefined();
    expect(client).toMatchObject({ tokenEndpointAuthMethod: 'private_key_jwt', secrets: [] });
    const response = await send();
    expect(response.status).toBe(200);
    expect((await callApi(site, response.body.access_token)).body.clientId).toBe(client.clientId);
  });

  test.each(['ES256', 'ES384', 'ES512', 'PS256', 'PS512', 'RS256', 'RS512', 'EdDSA', 'Ed25519'])(
    'a client may sign with %s',
    async (alg) => {
      const own = await createTestKey(alg);
      const registered = await register({ jwks: { keys: [key.publicJwk, own.publicJwk] } });
      expect(await statusBy(own, registered)).toBe(200);
    },
  );

  test('tokenEndpointAuthSigningAlg restricts the algorithm of assertions', async () => {
    const rsa = await createTestKey('RS256');
    const own = { jwks: { keys: [key.publicJwk, rsa.publicJwk] } };
    const strict = await register({ ...own, tokenEndpointAuthSigningAlg: 'RS256' });
    expect([await statusBy(rsa, strict), await statusBy(key, strict)]).toEqual([200, 401]);
    await expect(register({ ...own, tokenEndpointAuthSigningAlg: 'none' })).rejects.toThrow(/not by none/);
  });

  test('an assertion without a kid is verified with each key that fits', async () => {
    const [one, two] = [await createTestKey('ES256', null), await createTestKey('ES256', null)];
    const stranger = await createTestKey('ES256', null);
    const registered = await register({ jwks: { keys: [one.publicJwk, two.publicJwk] } });
    for (const each of [one, two]) expect(await statusBy(each, registered)).toBe(200);
    const foreign = await signAssertion(site, registered.clientId, stranger);
    expectInvalidClient(await postAssertion(site, foreign), /signature/);
  });

  test('an assertion costs one more database command than a secret, which stores the jti', async () => {
    const assertion = await signAssertion(site, client.clientId, key);
    const commands = await commandsDuring(site.database, () => postAssertion(site, assertion));
    expect(commands).toEqual(['find oauth_clients', 'insert oauth_assertion_ids', 'insert oauth_grants']);
  });

  test('an invalid assertion costs no write', async () => {
    const wrong = await createTestKey('ES256', key.publicJwk.kid);
    const assertion = await signAssertion(site, client.clientId, wrong);
    const commands = await commandsDuring(site.database, () => postAssertion(site, assertion));
    expect(commands).toEqual(['find oauth_clients']);
  });
});

describe('§3 the claims of the JWT', () => {
  test.each<[string, AssertionOptions['claims'], RegExp]>([
    ['1. iss missing', { iss: undefined }, /"iss" claim/],
    ['1. iss of another', { iss: 'another' }, /"iss" claim/],
    ['1. iss with a slash more', { iss: 'CLIENT/' }, /"iss" claim/],
    ['1. iss in capitals', { iss: 'CAPITALS' }, /"iss" claim/],
    ['2. sub missing', { sub: undefined }, /no alg or no sub/],
    ['2. sub that is no string', { sub: { $gt: '' } }, /no alg or no sub/],
    ['2. sub of nobody', { sub: 'nobody', iss: 'nobody' }, /unknown client/],
    ['3. aud missing', { aud: undefined }, /"aud" claim/],
    ['3. aud of another server', { aud: 'https://evil.example' }, /aud of/],
    ['3. aud with a slash more', { aud: 'SITE/' }, /aud of/],
    ['3. aud is the token endpoint, by default', { aud: 'SITE/oauth/token' }, /aud of/],
    ['3. aud with another server beside (RFC 7523bis)', { aud: ['SITE', 'https://evil.example'] }, /aud of/],
    ['3. aud empty', { aud: [] }, /aud of/],
    ['4. exp missing', { exp: undefined }, /"exp" claim/],
    ['4. exp passed', { exp: now() - 120 }, /^exp is \d+ seconds behind the clock .* tolerates 30 /],
    ['4. exp that is no number', { exp: 'tomorrow' }, /"exp" claim/],
    [
      '4. exp unreasonably far',
      { exp: now() + 3600 },
      /^exp is \d+ seconds ahead of the clock .* tolerates 30 /,
    ],
    ['5. nbf in the future', { nbf: now() + 600 }, /^nbf is \d+ seconds ahead of the clock .* tolerates 30 /],
    ['6. iat in the future', { iat: now() + 600 }, /^iat is \d+ seconds ahead of the clock .* tolerates 30 /],
    ['7. jti missing', { jti: undefined }, /"jti" claim/],
    ['7. jti empty', { jti: '' }, /jti of/],
    ['7. jti that is no string', { jti: 7 }, /jti of/],
    ['7. jti too long', { jti: 'j'.repeat(257) }, /jti of/],
  ])(
    '§3 an assertion is refused: %s [3-1] [3-2] [3-3] [3-4] [3-5] [3-6] [3-7] [3-8] [3-9] [3-10] [3-11] [3.2-1]',
    async (_what, claims, detail) => {
      const here = Object.fromEntries(
        Object.entries(claims ?? {}).map(([name, value]) => [name, fillIn(value)]),
      );
      expectInvalidClient(await send({ claims: here }), detail);
    },
  );

  test('§3 7. a repeated jti is refused, also by another process', async () => {
    const assertion = await signAssertion(site, client.clientId, key);
    expect((await postAssertion(site, assertion)).status).toBe(200);
    expectInvalidClient(await postAssertion(site, assertion), /used before/);
    expect((await postAssertion(second, assertion)).body.error).toBe('invalid_client');
    const sameId = await signAssertion(site, client.clientId, key, {
      claims: { jti: claimsIn(assertion).jti, exp: now() + 300 },
    });
    expectInvalidClient(await postAssertion(site, sameId), /used before/);
  });

  test('§3 7. only one of many concurrent uses in two processes gets a token', async () => {
    const assertion = await signAssertion(site, client.clientId, key);
    const responses = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        postAssertion(index % 2 === 0 ? site : second, assertion).then(),
      ),
    );
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(responses.filter(({ body }) => body.error === 'invalid_client')).toHaveLength(11);
  });

  test('§3 7. two clients may use the same jti', async () => {
    const other = await register({ jwks: { keys: [key.publicJwk] } });
    const claims = { jti: 'the same for two clients' };
    expect((await send({ claims })).status).toBe(200);
    expect(await statusBy(key, other, { claims })).toBe(200);
  });

  test('§3 7. a jti is stored until its assertion has expired', async () => {
    const exp = now() + 100;
    await send({ claims: { exp } });
    const stored = await site.database
      .collection('oauth_assertion_ids')
      .find()
      .sort({ $natural: -1 })
      .toArray();
    expect(
      stored.some(
        ({ expiresAt }) =>
          expiresAt.getTime() >= (exp + 30) * 1000 && expiresAt.getTime() < (exp + 120) * 1000,
      ),
    ).toBe(true);
  });
});

/** Attacks by headers are tested in attacks/jwt-headers. */
describe('§3 9. signatures and algorithms', () => {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

  test('§2.2 two JWTs in one client_assertion are refused [2.2-1]', async () => {
    const two = [
      await signAssertion(site, client.clientId, key),
      await signAssertion(site, client.clientId, key),
    ];
    for (const separator of [',', ' ', '.', ''])
      expectInvalidClient(await postAssertion(site, two.join(separator)));
  });

  test('an assertion with changed claims is refused [3-13]', async () => {
    const [header, , signature] = (await signAssertion(site, client.clientId, key)).split('.');
    expectInvalidClient(
      await postAssertion(site, `${header}.${encode(claimsOf(site, client.clientId))}.${signature}`),
      /signature/,
    );
  });

  test('an assertion with a key of another client is refused', async () => {
    const own = await createTestKey();
    const attacker = await register({ jwks: { keys: [own.publicJwk] } });
    expectInvalidClient(await postAssertion(site, await signAssertion(site, client.clientId, own)));
    expectInvalidClient(
      await postAssertion(
        site,
        await signAssertion(site, attacker.clientId, own, { claims: { iss: client.clientId } }),
      ),
      /"iss"/,
    );
  });

  test.each([
    '',
    'x',
    'a.b',
    'a.b.c',
    '..',
    'a.b.c.d.e',
    '{}.{}.{}',
    `${Buffer.from('[]').toString('base64url')}.e30.`,
    `e30.${Buffer.from('null').toString('base64url')}.`,
  ])('the assertion %j is refused [3-14]', async (assertion) => {
    const response = await postAssertion(site, assertion);
    expect(response.status).toBe(401);
    expect(response.body.error).toBe('invalid_client');
  });

  test('an assertion of 60 kB is refused without a database command', async () => {
    const assertion = await signAssertion(site, client.clientId, key, {
      claims: { filler: 'x'.repeat(60_000) },
    });
    const commands = await commandsDuring(site.database, async () =>
      expectInvalidClient(await postAssertion(site, assertion), /characters/),
    );
    expect(commands).toEqual([]);
  });
});

describe('other methods of a client with keys', () => {
  test('a client with keys is refused with a secret or with its client_id alone', async () => {
    const fields = { grant_type: 'client_credentials' };
    expectInvalidClient(await postToken(site, { ...fields, client_id: client.clientId }));
    expectInvalidClient(await postToken(site, { ...fields, client_id: client.clientId, client_secret: 'x' }));
    expectInvalidClient(await postToken(site, fields).set('Authorization', basic(client.clientId, '')));
  });

  test('a client with keys is refused with its earlier secret', async () => {
    const before = await register({});
    await site.oauth.clients.update(before.clientId, { jwks: { keys: [key.publicJwk] } });
    expectInvalidClient(
      await postToken(site, { grant_type: 'client_credentials' }).set(
        'Authorization',
        basic(before.clientId, before.clientSecret ?? ''),
      ),
      /registered for private_key_jwt/,
    );
    expect(await statusBy(key, before)).toBe(200);
    await expect(site.oauth.clients.rotateSecret(before.clientId)).rejects.toMatchObject({
      error: 'invalid_client_metadata',
    });
  });

  test('a client without keys cannot use an assertion', async () => {
    const withSecret = await register({});
    expectInvalidClient(await postAssertion(site, await signAssertion(site, withSecret.clientId, key)));
  });

  test('a client that is registered for client_secret_basic cannot send its secret in the body', async () => {
    const named = await register({ tokenEndpointAuthMethod: 'client_secret_basic' });
    const fields = { grant_type: 'client_credentials' };
    expectInvalidClient(
      await postToken(site, { ...fields, client_id: named.clientId, client_secret: named.clientSecret }),
      /registered for client_secret_basic/,
    );
    expect(
      (await postToken(site, fields).set('Authorization', basic(named.clientId, named.clientSecret ?? '')))
        .status,
    ).toBe(200);
  });
});

describe('the option audience', () => {
  test('the audience issuer_or_token_endpoint accepts the issuer or the token endpoint, and no list', async () => {
    const statusFor = async (claims: object) =>
      (
        await postAssertion(
          lenient,
          await signAssertion(site, client.clientId, key, { claims: claims as never }),
        )
      ).status;
    expect(await statusFor({ aud: site.url })).toBe(200);
    expect(await statusFor({ aud: `${site.url}/oauth/token`, exp: now() + 3500 })).toBe(200);
    expect(await statusFor({ aud: [site.url, `${site.url}/oauth/token`] })).toBe(401);
    expect(await statusFor({ aud: `${site.url}/oauth/revoke` })).toBe(401);
  });
});

/** Fills the address of the site and the client_id into a claim of the table. */
function fillIn(value: unknown): unknown {
  if (value === undefined) return undefined;
  const text = JSON.stringify(value)
    .replaceAll('SITE', site.url)
    .replaceAll('CLIENT', client.clientId)
    .replaceAll('CAPITALS', client.clientId.toUpperCase());
  return JSON.parse(text);
}

function claimsIn(assertion: string): { jti: string } {
  return JSON.parse(Buffer.from(assertion.split('.')[1] ?? '', 'base64url').toString()) as { jti: string };
}
