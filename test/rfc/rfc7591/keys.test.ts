import { randomUUID } from 'node:crypto';

import { beforeAll, describe, expect, test } from '@jest/globals';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

import { refusal } from '../../support/refusal.js';
import { asClient, manage, METADATA, register } from '../../support/registration.js';
import { REDIRECT_URI } from '../../support/site.js';
import { siteFor } from '../../support/site-for.js';
import { obtainCode, postToken } from '../../support/tokens.js';

describe('RFC 7591 §2: clients that register their keys', () => {
  let keys: Awaited<ReturnType<typeof generateKeyPair>>;
  const site = siteFor({ registration: { open: true }, security: { rateLimits: false } });

  beforeAll(async () => {
    keys = await generateKeyPair('ES256', { extractable: true });
  });
  const metadata = async () => ({
    ...METADATA,
    token_endpoint_auth_method: 'private_key_jwt',
    jwks: { keys: [{ ...(await exportJWK(keys.publicKey)), kid: 'one', alg: 'ES256' }] },
  });

  test('a client with private_key_jwt gets no secret, and the response has its keys', async () => {
    const { status, body } = await register(site, await metadata());
    expect(status).toBe(201);
    expect(body).toMatchObject(await metadata());
    expect(body).not.toHaveProperty('client_secret');
    const assertion = await new SignJWT({ jti: randomUUID() })
      .setProtectedHeader({ alg: 'ES256', kid: 'one' })
      .setIssuer(body.client_id)
      .setSubject(body.client_id)
      .setAudience(site.url)
      .setIssuedAt()
      .setExpirationTime('1m')
      .sign(keys.privateKey);
    const code = await obtainCode(site, await asClient(site, body));
    const response = await postToken(site, {
      grant_type: 'authorization_code',
      code,
      redirect_uri: REDIRECT_URI,
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: assertion,
    });
    expect(response.status).toBe(200);
  });

  test('a private, symmetric or invalid key is refused at registration [2-17]', async () => {
    const wrong = [await exportJWK(keys.privateKey), { kty: 'oct', k: 'c2VjcmV0' }, { kty: 7 }, 'key', {}];
    for (const key of wrong)
      expect(await register(site, { ...(await metadata()), jwks: { keys: [key] } })).toMatchObject(
        refusal(400, 'invalid_client_metadata'),
      );
  });

  test.each([
    [{ jwks: undefined }],
    [{ jwks: undefined, jwks_uri: 'http://127.0.0.1/jwks' }],
    [{ jwks: undefined, jwks_uri: 'file:///etc/passwd' }],
  ])('keys that are missing or not at an https: URL are refused: %j', async (fields) => {
    expect(await register(site, { ...(await metadata()), ...fields })).toMatchObject(
      refusal(400, 'invalid_client_metadata'),
    );
  });

  test('client_secret_jwt cannot be registered, because the secret would have to be readable', async () => {
    expect(
      await register(site, { ...METADATA, token_endpoint_auth_method: 'client_secret_jwt' }),
    ).toMatchObject({ status: 400, body: { error: 'invalid_client_metadata' } });
  });

  test('RFC 7592 §2.2 an update from a secret to keys deletes the secret, and an update back deletes the keys', async () => {
    const client = (await register(site)).body;
    const withKeys = (
      await manage(site, 'put', client, { ...(await metadata()), client_id: client.client_id })
    ).body;
    expect(withKeys).not.toHaveProperty('client_secret');
    expect((await site.oauth.clients.find(client.client_id))?.secrets).toEqual([]);
    const back = (await manage(site, 'put', withKeys, { ...METADATA, client_id: client.client_id })).body;
    expect(back.client_secret).toMatch(/^eas_cs_/);
    expect(back).not.toHaveProperty('jwks');
    expect(await site.oauth.clients.find(client.client_id)).not.toHaveProperty('jwks');
  });
});
