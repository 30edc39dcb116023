import { describe, expect, test } from '@jest/globals';
import { exportJWK, generateKeyPair, UnsecuredJWT } from 'jose';
import request from 'supertest';

import type { NewClient } from '../../../lib/index.js';
import { createTestKey, now } from '../../support/assertions.js';
import { letPass } from '../../support/clock.js';
import { commandsDuring } from '../../support/commands.js';
import {
  encryptionKeys,
  type EncryptOptions,
  encryptTo,
  withHeader,
} from '../../support/encrypted-requests.js';
import { openJwksServer } from '../../support/jwks-server.js';
import { verifyByKeys } from '../../support/jwt.js';
import { codeOf, createPerson, locationOf, logInPerson, postForm } from '../../support/person.js';
import { push, pushed } from '../../support/pushed-requests.js';
import { register } from '../../support/registration.js';
import { type RequestObjectOptions, signingClient, signRequest } from '../../support/request-objects.js';
import { openSite, REDIRECT_URI } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';
import { redeem, tokenRequest } from '../../support/tokens.js';

const PUBLISH_AHEAD = 300;

const site = siteFor({
  signedRequests: { encryption: true, byReference: true },
  pushedRequests: true,
  registration: { open: true },
  tokens: { accessTokenFormat: 'jwt' },
  clientAuthentication: { allowPrivateAddresses: true },
});
const key = fixture(() => createTestKey());
const server = fixture(() => openJwksServer());
const client = fixture(() => clientWith());
const ada = fixture(() => logInPerson(site));

const clientWith = (more: Partial<NewClient> = {}, at = site) =>
  signingClient(at, key, { requestUris: [server.url], ...more });
const signed = (options: RequestObjectOptions = {}, of = client, by = key) =>
  signRequest(site, of.clientId, by, options);
const encrypted = async (options: EncryptOptions = {}, of = client) =>
  encryptTo(site, await signed({}, of), options);
const open = (jwt: string, of = client) => ada.openAuthorize({ client_id: of.clientId, request: jwt });
const persisted = async () => {
  const { connection } = site.database;
  const names = ['oauth_grants', 'oauth_pushed_requests'];
  return Promise.all(names.map((name) => connection.collection(name).countDocuments()));
};
/** The person, or a client that pushes, gets the error; nothing is stored. */
async function expectRefused(jwt: string, description: RegExp, of = client): Promise<void> {
  const before = await persisted();
  const response = await open(jwt, of);
  expect([response.status, response.headers.location]).toEqual([400, undefined]);
  expect(response.text).toContain('<code>invalid_request_object</code>');
  expect(response.text).toMatch(description);
  const { status, body } = await push(site, of, { request: jwt });
  expect([status, body.error]).toEqual([400, 'invalid_request_object']);
  expect(await persisted()).toEqual(before);
}

describe('§6.1 an encrypted request object', () => {
  test.each([
    ['ECDH-ES', 'A128CBC-HS256'],
    ['ECDH-ES+A128KW', 'A128GCM'],
    ['ECDH-ES+A256KW', 'A256GCM'],
    ['RSA-OAEP-256', 'A256CBC-HS512'],
  ])('a request object encrypted with %s and %s is accepted [4-5] [6.1-1]', async (alg, enc) => {
    const { searchParams } = locationOf(
      await ada.openAuthorize({
        client_id: client.clientId,
        scope: 'photos:write',
        state: 'beside',
        request: await encrypted({ alg, enc }),
      }),
    );
    expect(searchParams.get('state')).toBe('of the object');
    const { body } = await redeem(site, client, searchParams.get('code')!);
    expect(body).toMatchObject({ scope: 'photos:read' });
  });

  test('an encrypted request object is accepted by the PAR endpoint and at a request_uri [4-5] [6.1-1]', async () => {
    const link = await pushed(site, client, { request: await encrypted({ alg: 'RSA-OAEP-256' }) });
    expect(locationOf(await ada.openAuthorize(link)).searchParams.get('state')).toBe('of the object');
    const jwe = await encrypted();
    server.answer((_req, res) => res.setHeader('content-type', 'application/oauth-authz-req+jwt').end(jwe));
    expect(
      codeOf(await ada.openAuthorize({ client_id: client.clientId, request_uri: server.url })),
    ).not.toBeNull();
  });

  test('a client without registered encryption may send signed or encrypted request objects', async () => {
    expect(codeOf(await open(await signed()))).not.toBeNull();
    for (const cty of [undefined, 'jwt', 'oauth-authz-req+jwt'])
      expect(codeOf(await open(await encrypted({ cty })))).not.toBeNull();
  });

  test('the address of the login has the request object encrypted', async () => {
    const person = createPerson(site);
    const jwe = await encryptTo(site, await signed({ claims: { exp: now() + 40 } }));
    const login = locationOf(await person.openAuthorize({ client_id: client.clientId, request: jwe }));
    letPass(600);
    await person.logIn();
    const back = login.searchParams.get('return_to')!;
    expect(back).toContain(jwe);
    expect(codeOf(await person.agent.get(back))).not.toBeNull();
  });
});

describe('attacks', () => {
  test.each([
    ['RSA1_5', { alg: 'RSA1_5' }],
    ['RSA-OAEP by SHA-1', { alg: 'RSA-OAEP' }],
    ['dir', { alg: 'dir' }],
    ['a password', { alg: 'PBES2-HS512+A256KW', p2c: 2_000_000_000, p2s: 'AAAA' }],
    ['a shared key', { alg: 'A128KW' }],
    ['none', { alg: 'none' }],
    ['no alg', { alg: undefined }],
    ['a list as its alg', { alg: ['ECDH-ES'] }],
  ])('a request object encrypted with %s is refused [6.1-1] [10.1-1]', async (_what, header) => {
    await expectRefused(withHeader(await encrypted(), header), /its alg must be one of ECDH-ES, /);
  });

  test.each([
    ['another enc', { enc: 'A192GCM' }, /its enc must be one of/],
    ['no enc', { enc: undefined }, /its enc must be one of/],
    ['compression', { zip: 'DEF' }, /it is compressed/],
    ['another content type', { cty: 'JWE' }, /cty must be JWT/],
    ['an unknown kid', { kid: 'unknown' }, /kid is of no key/],
    ['no kid', { kid: undefined }, /has no kid/],
    ['a list of kids', { kid: ['a'] }, /has no kid/],
    ['a critical header', { crit: ['exp'], exp: 1 }, /cannot be decrypted/],
    ['no ephemeral key', { epk: undefined }, /cannot be decrypted/],
    [
      'a key off the curve',
      { epk: { kty: 'EC', crv: 'P-256', x: 'A'.repeat(43), y: 'A'.repeat(43) } },
      /cannot be decrypted/,
    ],
    ['a key of no curve', { epk: { kty: 'EC', crv: 'P-999', x: 'AA', y: 'AA' } }, /cannot be decrypted/],
    ['a secret as its key', { epk: { kty: 'oct', k: 'AAAA' } }, /cannot be decrypted/],
    ['a header that was changed', { apu: 'AAAA' }, /cannot be decrypted/],
  ])('a request object with %s is refused [6.1-1]', async (_what, header, description) => {
    await expectRefused(withHeader(await encrypted(), header), description);
  });

  test('a request object encrypted to another key, another curve or a signing key is refused [6.1-1]', async () => {
    const [ec, rsa] = [await generateKeyPair('ECDH-ES'), await generateKeyPair('RSA-OAEP-256')];
    for (const [alg, { publicKey }] of [
      ['ECDH-ES', ec],
      ['RSA-OAEP-256', rsa],
    ] as const) {
      const { kid } = (await encryptionKeys(site)).find(
        ({ kty }) => (kty === 'RSA') === (alg !== 'ECDH-ES'),
      )!;
      const jwk = { ...(await exportJWK(publicKey)), kid: kid! };
      await expectRefused(await encrypted({ alg, jwk }), /cannot be decrypted/);
      await expectRefused(await encrypted({ alg, jwk: { ...jwk, kid: 'mine' } }), /kid is of no key/);
    }
    const { publicKey } = await generateKeyPair('ECDH-ES', { crv: 'P-384' });
    const [{ kid } = {}] = (await encryptionKeys(site)).filter(({ kty }) => kty === 'EC');
    await expectRefused(
      await encrypted({ jwk: { ...(await exportJWK(publicKey)), kid: kid! } }),
      /cannot be decrypted/,
    );
    // the RSA key for ECDH-ES, and the key that signs access tokens
    const [{ kid: ofRsa } = {}] = (await encryptionKeys(site)).filter(({ kty }) => kty === 'RSA');
    const signing = (await site.oauth.keys.list()).find(({ algorithm }) => algorithm === 'ES256')!;
    for (const other of [ofRsa, signing.kid])
      await expectRefused(withHeader(await encrypted(), { kid: other }), /kid is of no key/);
  });

  test('an encrypted request object with a changed tag, key or content is refused with one text [6.1-1]', async () => {
    for (const alg of ['ECDH-ES+A256KW', 'RSA-OAEP-256']) {
      const parts = (await encrypted({ alg })).split('.');
      for (const index of [1, 2, 3, 4]) {
        const changed = parts.map((part, at) =>
          at === index ? `${part.startsWith('A') ? 'B' : 'A'}${part.slice(1)}` : part,
        );
        await expectRefused(changed.join('.'), /cannot be used: it cannot be decrypted</);
      }
    }
    for (const text of ['a.b.c.d.e', '....', 'e30....', `${'é'.repeat(9)}.a.b.c.d`])
      await expectRefused(text, /cannot be used/);
  });

  test('an encrypted request object has to contain one JWT signed by the client [4-5] [10.1-1] [10.2-1]', async () => {
    const claims = { client_id: client.clientId, iss: client.clientId, aud: site.url, exp: now() + 60 };
    const unsigned = new UnsecuredJWT({ ...claims, response_type: 'code' }).encode();
    await expectRefused(await encryptTo(site, JSON.stringify(claims)), /it is no signed JWT/);
    await expectRefused(await encryptTo(site, unsigned), /its alg must be one of/);
    await expectRefused(await encryptTo(site, ''), /it is no signed JWT/);
    const byThief = await signed({}, client, await createTestKey());
    await expectRefused(await encryptTo(site, byThief), /key that is not of the client/);
    await expectRefused(await encryptTo(site, await encrypted()), /encrypted once more/);
    await expectRefused(
      await encryptTo(site, await signed({ claims: { aud: 'https://other.example' } })),
      /aud/,
    );
  });

  test('an encrypted request object of one client is refused for another client', async () => {
    const other = await clientWith();
    await expectRefused(await encrypted(), /cannot be used/, other);
  });

  test('an encrypted request object of a client without keys is not decrypted', async () => {
    const keyless = await site.client();
    await expectRefused(await encrypted({}, keyless), /the client has no keys/, keyless);
  });

  test('an encrypted request object of 64 KB is refused before decryption', async () => {
    const jwe = await encryptTo(site, 'x'.repeat(49_152));
    expect(jwe.length).toBeGreaterThan(65_536);
    const posted = await postForm(ada.agent, '/oauth/authorize', {
      client_id: client.clientId,
      request: jwe,
    });
    expect([posted.status, posted.headers.location]).toEqual([400, undefined]);
    expect(posted.text).toContain('it is too long');
    expect((await push(site, client, { request: jwe })).status).toBe(413);
    server.answer((_req, res) => res.setHeader('content-type', 'application/oauth-authz-req+jwt').end(jwe));
    const fetched = await ada.openAuthorize({ client_id: client.clientId, request_uri: server.url });
    expect([fetched.status, fetched.text.includes('<code>invalid_request_uri</code>')]).toEqual([400, true]);
  });

  test('unknown kids of request objects do not lead to a look-up for each request', async () => {
    letPass(61);
    const jwe = withHeader(await encrypted(), { kid: 'unknown' });
    const commands = await commandsDuring(site.database, async () => {
      for (let times = 0; times < 5; times += 1) await open(jwe);
    });
    expect(commands.filter((command) => command.endsWith('oauth_signing_keys')).length).toBeLessThanOrEqual(
      2,
    );
  });
});

describe('§4 registered encryption', () => {
  test('a client with registered encryption has to use exactly that encryption [4-5]', async () => {
    const strict = await clientWith({ requestObjectEncryptionAlg: 'RSA-OAEP-256' });
    await expectRefused(await signed({}, strict), /must be encrypted by RSA-OAEP-256/, strict);
    await expectRefused(await encrypted({}, strict), /its alg must be one of RSA-OAEP-256</, strict);
    const rsa = { alg: 'RSA-OAEP-256' };
    await expectRefused(
      await encrypted({ ...rsa, enc: 'A256GCM' }, strict),
      /its enc must be one of A128CBC-HS256</,
      strict,
    );
    expect(codeOf(await open(await encrypted(rsa, strict), strict))).not.toBeNull();
    await site.oauth.clients.update(strict.clientId, { requestObjectEncryptionEnc: 'A256GCM' });
    expect(codeOf(await open(await encrypted({ ...rsa, enc: 'A256GCM' }, strict), strict))).not.toBeNull();
  });

  test('dynamic registration accepts valid encryption algorithms and returns the values', async () => {
    const metadata = {
      client_name: 'Frame maker',
      redirect_uris: [REDIRECT_URI],
      jwks: { keys: [key.publicJwk] },
    };
    const { body } = await register(site, {
      ...metadata,
      request_object_encryption_alg: 'ECDH-ES+A256KW',
      request_object_encryption_enc: 'A256GCM',
    }).expect(201);
    expect(body).toMatchObject({
      request_object_encryption_alg: 'ECDH-ES+A256KW',
      request_object_encryption_enc: 'A256GCM',
    });
    for (const wrong of [
      ...['RSA1_5', 'RSA-OAEP', 'dir', 'none'].map((alg) => ({ request_object_encryption_alg: alg })),
      { request_object_encryption_alg: 'ECDH-ES', request_object_encryption_enc: 'A192GCM' },
      { request_object_encryption_enc: 'A256GCM' },
    ])
      expect((await register(site, { ...metadata, ...wrong }).expect(400)).body.error).toBe(
        'invalid_client_metadata',
      );
  });
});

describe('the keys', () => {
  test('encryption keys are published with use enc, and the metadata lists the algorithms [4-5]', async () => {
    const keys = await encryptionKeys(site);
    expect(keys.map(({ kty, alg, use }) => ({ kty, alg, use }))).toEqual([
      { kty: 'RSA', alg: 'RSA-OAEP-256', use: 'enc' },
      { kty: 'EC', alg: undefined, use: 'enc' },
    ]);
    expect(JSON.stringify(keys)).not.toMatch(/"(d|p|q|dp|dq|qi)"/);
    const { body } = await request(site.server).get('/.well-known/oauth-authorization-server');
    expect(body).toMatchObject({
      request_object_encryption_alg_values_supported: [
        'ECDH-ES',
        'ECDH-ES+A128KW',
        'ECDH-ES+A256KW',
        'RSA-OAEP-256',
      ],
      request_object_encryption_enc_values_supported: [
        'A128CBC-HS256',
        'A256CBC-HS512',
        'A128GCM',
        'A256GCM',
      ],
    });
    const stored = await site.database.collection('oauth_signing_keys').find().toArray();
    expect(stored.filter(({ privateKey }) => String(privateKey).startsWith('{'))).toEqual([]);
    // an API can still verify tokens with the published keys
    const { body: tokens } = await tokenRequest(site, await site.client(), {
      grant_type: 'client_credentials',
    });
    await verifyByKeys(site, tokens.access_token as string, site.url);
  });

  test('a rotated encryption key is published once all processes have the key, and the old key decrypts for a day', async () => {
    const statuses = async () =>
      (await site.oauth.keys.list())
        .filter(({ algorithm }) => algorithm === 'ECDH-ES')
        .map(({ status }) => status);
    const before = await encryptionKeys(site);
    const early = await encryptTo(site, await signed({ claims: { exp: now() + 3600 } }));
    expect(await statuses()).toEqual(['encrypting']);
    await site.oauth.keys.rotate();
    expect(await statuses()).toEqual(['upcoming', 'encrypting']);
    expect(await encryptionKeys(site)).toEqual(before);
    letPass(PUBLISH_AHEAD + 1);
    expect(await statuses()).toEqual(['encrypting', 'retired']);
    const after = await encryptionKeys(site);
    expect(after).toHaveLength(2);
    expect(before.map(({ kid }) => kid)).not.toContain(after[0]!.kid);
    expect(codeOf(await open(early))).not.toBeNull();
    expect(codeOf(await open(await encrypted()))).not.toBeNull();
    letPass(90_000);
    const [{ kid } = {}] = before.filter(({ kty }) => kty === 'EC');
    const late = await encryptTo(site, await signed(), { jwk: before.find(({ kty }) => kty === 'EC')! });
    expect((await site.oauth.keys.list()).map((each) => each.kid)).not.toContain(kid);
    await expectRefused(late, /kid is of no key/);
  });

  test('a revoked encryption key no longer decrypts, and a new key of another process does', async () => {
    await using other = await openSite({
      database: site.database,
      issuer: site.url,
      signedRequests: { encryption: true },
      tokens: { accessTokenFormat: 'jwt' },
    });
    // the site has just read its keys, so that a new key of the other process is unknown
    letPass(100_000);
    const before = (await encryptionKeys(site)).find(({ kty }) => kty === 'EC')!;
    expect(codeOf(await open(await encrypted()))).not.toBeNull();
    await other.oauth.keys.revoke(before.kid!);
    const fresh = (await encryptionKeys(other)).find(({ kty }) => kty === 'EC')!;
    expect(fresh.kid).not.toBe(before.kid);
    expect(codeOf(await open(await encrypted({ jwk: fresh })))).not.toBeNull();
    await expectRefused(await encrypted({ jwk: before }), /kid is of no key/);
  });
});
