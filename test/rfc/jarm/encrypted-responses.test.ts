import { describe, expect, test } from '@jest/globals';
import {
  calculateJwkThumbprint,
  compactDecrypt,
  createLocalJWKSet,
  type CryptoKey,
  decodeProtectedHeader,
  exportJWK,
  generateKeyPair,
  type JSONWebKeySet,
  type JWK,
  type JWTPayload,
  jwtVerify,
} from 'jose';
import request from 'supertest';

import type { NewClient, PublicJwk } from '../../../lib/index.js';
import { letPass } from '../../support/clock.js';
import { openJwksServer } from '../../support/jwks-server.js';
import { codeQuery, hiddenFields, locationOf, logInPerson, type Query } from '../../support/person.js';
import { register } from '../../support/registration.js';
import { REDIRECT_URI } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';
import { redeem } from '../../support/tokens.js';

interface Key {
  readonly privateKey: CryptoKey;
  readonly jwk: PublicJwk;
}

const site = siteFor({
  signedResponses: true,
  registration: { open: true },
  clientAuthentication: { allowPrivateAddresses: true },
});
const ada = fixture(() => logInPerson(site));
const keyServer = fixture(() => openJwksServer());

async function createKey(alg: string, more: JWK = { use: 'enc' }): Promise<Key> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { modulusLength: 2048, extractable: true });
  const jwk = await exportJWK(publicKey);
  return {
    privateKey,
    jwk: { kid: await calculateJwkThumbprint(jwk), ...jwk, ...more } as unknown as PublicJwk,
  };
}
const clientWith = (keys: readonly PublicJwk[], more: Partial<NewClient> = {}) =>
  site.client({
    tokenEndpointAuthMethod: 'client_secret_basic',
    ...(keys.length > 0 && { jwks: { keys: [...keys] } }),
    trusted: true,
    ...more,
  });
const queryOf = (clientId: string, more: Query = {}): Query =>
  codeQuery(clientId, { response_mode: 'jwt', state: 'x y', ...more });
const responseOf = async (clientId: string, more: Query = {}, person = ada): Promise<string> =>
  locationOf(await person.openAuthorize(queryOf(clientId, more))).searchParams.get('response') ?? '';
const get = async (path: string) => (await request(site.server).get(path)).body as Record<string, unknown>;

async function open(jwe: string, { privateKey }: Key): Promise<JWTPayload> {
  const { plaintext, protectedHeader } = await compactDecrypt(jwe, privateKey);
  expect(protectedHeader.cty).toBe('JWT');
  const keys = createLocalJWKSet((await get('/oauth/jwks')) as unknown as JSONWebKeySet);
  return (await jwtVerify(new TextDecoder().decode(plaintext), keys, { issuer: site.url })).payload;
}

describe('§2.2 encrypted responses', () => {
  test.each([
    ['ECDH-ES', 'A128CBC-HS256'],
    ['ECDH-ES+A128KW', 'A128GCM'],
    ['ECDH-ES+A256KW', 'A256GCM'],
    ['RSA-OAEP', 'A256CBC-HS512'],
    ['RSA-OAEP-256', undefined],
  ])('a signed response is encrypted with %s and %s [2.2-1] [3-4] [5.4-1]', async (alg, enc) => {
    const key = await createKey(alg);
    const client = await clientWith([key.jwk], {
      authorizationEncryptedResponseAlg: alg,
      ...(enc !== undefined && { authorizationEncryptedResponseEnc: enc }),
    });
    const jwe = await responseOf(client.clientId);
    expect(decodeProtectedHeader(jwe)).toMatchObject({ alg, enc: enc ?? 'A128CBC-HS256', kid: key.jwk.kid });
    const claims = await open(jwe, key);
    expect(claims).toMatchObject({ aud: client.clientId, iss: site.url, state: 'x y' });
    expect((await redeem(site, client, claims.code as string)).status).toBe(200);
  });

  test('an error response and a form_post.jwt response are encrypted [2.2-1]', async () => {
    const key = await createKey('ECDH-ES');
    const { clientId } = await clientWith([key.jwk], { authorizationEncryptedResponseAlg: 'ECDH-ES' });
    const refused = await open(await responseOf(clientId, { scope: 'nonsense' }), key);
    expect(refused).toMatchObject({ error: 'invalid_scope', state: 'x y' });
    const page = await ada.openAuthorize(queryOf(clientId, { response_mode: 'form_post.jwt' }));
    expect(await open(hiddenFields(page).response!, key)).toHaveProperty('code');
  });

  test('an authorization response is encrypted to a key for encryption, not to a key for signatures [2.2-1]', async () => {
    const [signs, plain, encrypts] = [
      await createKey('ECDH-ES', { use: 'sig' }),
      await createKey('ECDH-ES', {}),
      await createKey('ECDH-ES'),
    ];
    const other = await createKey('ECDH-ES', { use: 'enc', alg: 'ECDH-ES+A256KW' });
    const { clientId } = await clientWith([signs.jwk, other.jwk, plain.jwk, encrypts.jwk], {
      authorizationEncryptedResponseAlg: 'ECDH-ES',
    });
    expect(await open(await responseOf(clientId), encrypts)).toHaveProperty('code');
    const unnamed = await clientWith([signs.jwk, plain.jwk], {
      authorizationEncryptedResponseAlg: 'ECDH-ES',
    });
    expect(await open(await responseOf(unnamed.clientId), plain)).toHaveProperty('code');
  });

  test('an authorization response is encrypted to the current key at jwks_uri [2.2-1]', async () => {
    const [first, second] = [await createKey('RSA-OAEP-256'), await createKey('ECDH-ES')];
    keyServer.json({ keys: [first.jwk] });
    const { clientId } = await clientWith([], {
      jwksUri: keyServer.url,
      authorizationEncryptedResponseAlg: 'RSA-OAEP-256',
    });
    expect(await open(await responseOf(clientId), first)).toHaveProperty('code');
    keyServer.json({ keys: [second.jwk] });
    await site.oauth.clients.update(clientId, { authorizationEncryptedResponseAlg: 'ECDH-ES' });
    letPass(31);
    expect(await open(await responseOf(clientId), second)).toHaveProperty('code');
  });

  test.each([
    ['a key for signatures', 'ECDH-ES', { use: 'sig' }],
    ['a key of another type', 'RSA-OAEP-256', {}],
    ['an invalid key', 'ECDH-ES', { use: 'enc', x: 'AAAA' }],
  ])('no response is sent to a client that has only %s [2.2-1]', async (_what, of, more) => {
    const key = await createKey(of, more);
    const { clientId } = await clientWith([key.jwk], { authorizationEncryptedResponseAlg: 'ECDH-ES+A256KW' });
    const response = await ada.openAuthorize(queryOf(clientId));
    expect([response.status, response.headers.location]).toEqual([500, undefined]);
    expect(response.text).not.toMatch(/eyJ[\w-]+\./);
    expect(site.errors.at(-1)?.detail).toMatch(/no key to which|nothing can be encrypted/);
  });

  test('no authorization response is sent while jwks_uri is unreachable [2.2-1]', async () => {
    keyServer.answer((_req, res) => res.writeHead(503).end());
    const { clientId } = await clientWith([], {
      jwksUri: `${keyServer.url}?down`,
      authorizationEncryptedResponseAlg: 'ECDH-ES',
    });
    const response = await ada.openAuthorize(queryOf(clientId));
    expect([response.status, response.headers.location]).toEqual([500, undefined]);
  });
});

describe('§3, §4 algorithms', () => {
  test('the metadata lists the encryption algorithms of authorization responses [4-3]', async () => {
    expect(await get('/.well-known/oauth-authorization-server')).toMatchObject({
      authorization_encryption_alg_values_supported: expect.arrayContaining(['ECDH-ES', 'RSA-OAEP-256']),
      authorization_encryption_enc_values_supported: expect.arrayContaining(['A128CBC-HS256', 'A256GCM']),
    });
  });

  test.each(['RSA1_5', 'dir', 'A256KW', 'PBES2-HS256+A128KW', 'none', 'ecdh-es'])(
    'the response encryption alg %s cannot be registered [3-5]',
    async (alg) => {
      const { jwk } = await createKey('ECDH-ES');
      await expect(clientWith([jwk], { authorizationEncryptedResponseAlg: alg })).rejects.toThrow(
        /encrypted by/,
      );
      const { status, body } = await register(site, {
        client_name: 'Frame maker',
        redirect_uris: [REDIRECT_URI],
        jwks: { keys: [jwk] },
        authorization_encrypted_response_alg: alg,
      });
      expect([status, body.error]).toEqual([400, 'invalid_client_metadata']);
    },
  );

  test('an unknown enc, an enc without alg, and an alg without keys cannot be registered [3-4]', async () => {
    const { jwk } = await createKey('ECDH-ES');
    await expect(clientWith([jwk], { authorizationEncryptedResponseEnc: 'A256GCM' })).rejects.toThrow(
      /without/,
    );
    await expect(
      clientWith([jwk], {
        authorizationEncryptedResponseAlg: 'ECDH-ES',
        authorizationEncryptedResponseEnc: 'A1',
      }),
    ).rejects.toThrow(/not by A1/);
    await expect(clientWith([], { authorizationEncryptedResponseAlg: 'ECDH-ES' })).rejects.toThrow(/jwks/);
  });

  test('dynamic registration accepts and returns alg and enc of authorization responses [3-4]', async () => {
    const { jwk } = await createKey('ECDH-ES');
    const { body } = await register(site, {
      client_name: 'Frame maker',
      redirect_uris: [REDIRECT_URI],
      jwks: { keys: [jwk] },
      authorization_encrypted_response_alg: 'ECDH-ES',
      authorization_encrypted_response_enc: 'A256GCM',
    });
    expect(body).toMatchObject({
      authorization_encrypted_response_alg: 'ECDH-ES',
      authorization_encrypted_response_enc: 'A256GCM',
    });
  });
});
