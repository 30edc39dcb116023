import { describe, expect, test } from '@jest/globals';
import request from 'supertest';

import { createTestKey, JWT_BEARER, postAssertion, signAssertion } from '../../support/assertions.js';
import { postForm } from '../../support/person.js';
import { REDIRECT_URI } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';
import { basic, obtainCode, postToken } from '../../support/tokens.js';

const site = siteFor({ security: { rateLimits: false } });
const key = fixture(() => createTestKey());
const client = fixture(() => site.client({ jwks: { keys: [key.publicJwk] }, introspection: true }));
const withSecret = fixture(() => site.client());

const sign = () => signAssertion(site, client.clientId, key);
const fields = { grant_type: 'client_credentials' };
const INVALID = { status: 401, body: { error: 'invalid_client' } };

describe('RFC 7521 §4.2 assertions for client authentication', () => {
  test('§4.2 client_id is optional beside an assertion, and has to be the same client [4.2-3]', async () => {
    expect((await postAssertion(site, await sign())).status).toBe(200);
    expect((await postAssertion(site, await sign(), { client_id: client.clientId })).status).toBe(200);
    expect((await postAssertion(site, await sign(), { client_id: withSecret.clientId })).status).toBe(400);
  });

  test('§4.2 both assertion parameters are required, with a known client_assertion_type [4.2-1] [4.2-2] [4.2.1-1]', async () => {
    const saml = 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer';
    for (const sent of [
      { client_assertion: await sign() },
      { client_assertion_type: JWT_BEARER },
      { client_assertion_type: JWT_BEARER, client_id: client.clientId },
      { client_assertion_type: saml, client_assertion: await sign() },
    ])
      expect(await postToken(site, { ...fields, ...sent })).toMatchObject(INVALID);
  });

  test('§4.2.1 a request with two authentication methods is refused, whichever method is valid [4.2.1-1]', async () => {
    const { clientId, clientSecret = '' } = withSecret;
    for (const sent of [
      postAssertion(site, await sign()).set('Authorization', basic(clientId, clientSecret)),
      postAssertion(site, await sign()).set('Authorization', basic(client.clientId, 'x')),
      postAssertion(site, await sign(), { client_id: client.clientId, client_secret: 'x' }),
      postAssertion(site, 'no JWT').set('Authorization', basic(clientId, clientSecret)),
    ])
      expect(await sent).toMatchObject(INVALID);
  });

  test('RFC 6749 §3.2 a repeated client_assertion is refused', async () => {
    expect(
      await postAssertion(site, await sign(), { client_assertion: [await sign(), await sign()] }),
    ).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });

  test('RFC 6749 §2.3.1 a client_assertion in the URL is refused', async () => {
    const query = new URLSearchParams({ client_assertion: await sign(), client_assertion_type: JWT_BEARER });
    expect(
      (await request(site.server).post(`/oauth/token?${query.toString()}`).type('form').send(fields)).body
        .error,
    ).toBe('invalid_request');
  });

  test('a client redeems, refreshes, revokes and introspects with assertions alone', async () => {
    const code = await obtainCode(site, client);
    const first = await postAssertion(site, await sign(), {
      grant_type: 'authorization_code',
      code,
      redirect_uri: REDIRECT_URI,
    });
    const second = await postAssertion(site, await sign(), {
      grant_type: 'refresh_token',
      refresh_token: first.body.refresh_token,
    });
    expect(second.status).toBe(200);
    const post = async (endpoint: string, token: string) =>
      postForm(request(site.server), `/oauth/${endpoint}`, {
        token,
        client_assertion: await sign(),
        client_assertion_type: JWT_BEARER,
      });
    expect((await post('introspect', second.body.access_token)).body).toMatchObject({
      active: true,
      client_id: client.clientId,
    });
    expect((await post('revoke', second.body.refresh_token)).status).toBe(200);
    expect((await post('introspect', second.body.access_token)).body).toEqual({ active: false });
  });
});

describe('RFC 7591 §2 registered keys', () => {
  test.each<[string, object, string]>([
    ['private_key_jwt without keys', { tokenEndpointAuthMethod: 'private_key_jwt' }, 'needs the public keys'],
    ['an unknown method', { tokenEndpointAuthMethod: 'tls_client_auth' }, 'is not on'],
    [
      'jwks and jwksUri',
      { jwks: { keys: [{ kty: 'EC' }] }, jwksUri: 'https://app.example/jwks' },
      'not both',
    ],
    [
      'keys of a public client',
      { type: 'public', grantTypes: ['authorization_code'], jwksUri: 'https://app.example/jwks' },
      'A public client',
    ],
    [
      'a public client with a secret',
      { type: 'public', grantTypes: ['authorization_code'], tokenEndpointAuthMethod: 'client_secret_basic' },
      'A public client',
    ],
    [
      'a confidential client with none',
      { type: 'confidential', tokenEndpointAuthMethod: 'none' },
      'A public client',
    ],
    [
      'a secret beside keys',
      { jwksUri: 'https://app.example/jwks', clientSecret: 'a secret' },
      'has no secret',
    ],
    ['an http jwksUri', { jwksUri: 'http://app.example/jwks' }, 'not an https: URL'],
    ['a file as jwksUri', { jwksUri: 'file:///etc/passwd' }, 'not an https: URL'],
    ['a jwksUri with a password', { jwksUri: 'https://a:b@app.example/jwks' }, 'a password'],
    ['a jwksUri that is no URL', { jwksUri: 'keys' }, 'not a URL'],
    ['a private key', { jwks: { keys: [{ kty: 'RSA', n: 'AA', e: 'AQAB', d: 'AA' }] } }, 'private or secret'],
    ['a shared key', { jwks: { keys: [{ kty: 'oct', k: 'AA' }] } }, 'private or secret'],
    ['a key set that is a list', { jwks: [{ kty: 'EC' }] }, 'no key set'],
    ['a huge key set', { jwks: { keys: [{ kty: 'EC', x: 'x'.repeat(70_000) }] } }, '65536 characters'],
    [
      'a key with an operator of MongoDB',
      { jwks: { keys: [{ kty: 'EC', $where: '1' }] } },
      'cannot be stored',
    ],
    ['a key with a coordinate in a list', { jwks: { keys: [{ kty: 'EC', x: ['AA'] }] } }, 'another kind'],
    ['a key with an object in it', { jwks: { keys: [{ kty: 'EC', more: { gt: 1 } }] } }, 'another kind'],
    [
      'a key with an operator deep in it',
      { jwks: { keys: [{ kty: 'EC', x: { $gt: 1 } }] } },
      'cannot be stored',
    ],
  ])('the registration of %s is refused', async (_what, metadata, text) => {
    await expect(site.client(metadata)).rejects.toMatchObject({
      error: 'invalid_client_metadata',
      message: expect.stringContaining(text),
    });
  });

  test('keys are accepted in the form that a browser exports (RFC 7517 §4)', async () => {
    const { publicKey, privateKey } = await crypto.subtle.generateKey(
      { name: 'ECDSA', namedCurve: 'P-256' },
      true,
      ['sign', 'verify'],
    );
    const jwk = await crypto.subtle.exportKey('jwk', publicKey);
    expect(jwk).toMatchObject({ ext: true, key_ops: ['verify'] });
    const own = await site.client({ jwks: { keys: [{ ...jwk, kty: 'EC' }] } });
    expect(own.jwks).toEqual({ keys: [jwk] });
    const pair = { alg: 'ES256', privateKey, publicJwk: { ...jwk, kty: 'EC' } };
    const assertion = await signAssertion(site, own.clientId, pair);
    expect((await postAssertion(site, assertion)).status).toBe(200);
  });

  test('a client may replace its key set by a jwksUri, which removes the old keys', async () => {
    const own = await site.client({ jwks: { keys: [key.publicJwk] } });
    const updated = await site.oauth.clients.update(own.clientId, {
      jwks: undefined,
      jwksUri: 'https://app.example/jwks',
    });
    expect(updated).toMatchObject({ jwksUri: 'https://app.example/jwks' });
    expect(updated).not.toHaveProperty('jwks');
    expect(await site.oauth.clients.find(own.clientId)).not.toHaveProperty('jwks');
  });

  test('tokenEndpointAuthMethod none registers a public client', async () => {
    const app = await site.client({ tokenEndpointAuthMethod: 'none', grantTypes: ['authorization_code'] });
    expect(app).toMatchObject({ type: 'public', tokenEndpointAuthMethod: 'none' });
    expect(app.clientSecret).toBeUndefined();
  });
});
