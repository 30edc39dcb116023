import { describe, expect, test } from '@jest/globals';
import { exportJWK, generateKeyPair, jwtVerify, SignJWT, UnsecuredJWT } from 'jose';

import { OAuthError } from '../../../lib/index.js';
import { refusal } from '../../support/refusal.js';
import { manage, METADATA, register } from '../../support/registration.js';
import { openSite, REDIRECT_URI } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';

const PUBLISHER = 'https://publisher.example';

describe('RFC 7591 §2.3: software statements', () => {
  const keys = fixture(async () => ({ ...(await generateKeyPair('ES256')) }));
  const site = siteFor({
    security: { rateLimits: false },
    registration: {
      open: true,
      verifySoftwareStatement: async (statement) => {
        if (statement === 'database down') throw new Error('secret reason');
        if (statement === 'token') throw new OAuthError('invalid_token', 'the token has expired');
        const { payload } = await jwtVerify(statement, keys.publicKey, {
          issuer: PUBLISHER,
          algorithms: ['ES256'],
        });
        return payload.software_id === 'banned' ? null : payload;
      },
    },
  });

  const sign = (claims: object, key = keys.privateKey) =>
    new SignJWT({ ...claims })
      .setProtectedHeader({ alg: 'ES256' })
      .setIssuer(PUBLISHER)
      .setIssuedAt()
      .setExpirationTime('1h')
      .sign(key);

  test('§2.3, §3.1.1 claims of a software statement take precedence over the request [2-21] [3.1.1-1] [3.2.1-7] [5-11]', async () => {
    const software_statement = await sign({
      client_name: 'Certain Frames',
      redirect_uris: [REDIRECT_URI],
      software_id: 'frames',
    });
    const { status, body } = await register(site, {
      client_name: 'Bank',
      redirect_uris: ['https://evil.example/'],
      software_version: '1',
      software_statement,
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      client_name: 'Certain Frames',
      redirect_uris: [REDIRECT_URI],
      software_id: 'frames',
      software_version: '1',
    });
  });

  test('§3.2.1 the registration response has the software statement unchanged [3.2.1-6]', async () => {
    const software_statement = await sign({ software_id: 'frames' });
    expect((await register(site, { ...METADATA, software_statement })).body.software_statement).toBe(
      software_statement,
    );
  });

  test('claims of a software statement cannot make a client trusted', async () => {
    const software_statement = await sign({
      trusted: true,
      introspection: true,
      ownerId: 'ada',
      software_statement: 'x',
    });
    const { body } = await register(site, { ...METADATA, software_statement });
    expect(await site.oauth.clients.find(body.client_id)).toMatchObject({ trusted: false });
    expect(body.software_statement).toBe(software_statement);
  });

  test('§3.2.2 an invalid or rejected software statement is answered invalid_software_statement [2.3-1] [2.3-2] [5-12]', async () => {
    const stranger = await generateKeyPair('ES256');
    const statements = [
      await sign({}, stranger.privateKey),
      await new SignJWT({})
        .setProtectedHeader({ alg: 'ES256' })
        .setIssuer('https://evil.example')
        .sign(keys.privateKey),
      new UnsecuredJWT({}).setIssuer(PUBLISHER).encode(),
      // signed with the public key as if it were a shared secret
      await new SignJWT({})
        .setProtectedHeader({ alg: 'HS256' })
        .setIssuer(PUBLISHER)
        .sign(new TextEncoder().encode(JSON.stringify(await exportJWK(keys.publicKey)))),
      await new SignJWT({})
        .setProtectedHeader({ alg: 'ES256' })
        .setIssuer(PUBLISHER)
        .setExpirationTime(1)
        .sign(keys.privateKey),
      'nonsense',
      7,
      { $ne: null },
      'x'.repeat(9000),
      await sign({ software_id: 'banned' }),
    ];
    for (const software_statement of statements) {
      expect(await register(site, { ...METADATA, software_statement })).toMatchObject(
        refusal(400, 'invalid_software_statement'),
      );
    }
  });

  test('an exception in verifySoftwareStatement is answered server_error without details', async () => {
    const response = await register(site, { ...METADATA, software_statement: 'database down' });
    expect(response).toMatchObject({ status: 500, body: { error: 'server_error' } });
    expect(response.text).not.toContain('secret reason');
  });

  test('§3.2.2 an error of verifySoftwareStatement gets no challenge for an initial access token', async () => {
    const answer = await register(site, { ...METADATA, software_statement: 'token' });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ error: 'invalid_software_statement' });
    expect(answer.headers).not.toHaveProperty('www-authenticate');
  });

  test('RFC 7592 §2.2 a client with a software statement needs a software statement in each update', async () => {
    const software_statement = await sign({ client_name: 'Certain Frames' });
    const registered = (await register(site, { ...METADATA, software_statement })).body;
    const without = await manage(site, 'put', registered, {
      ...METADATA,
      client_id: registered.client_id,
      client_name: 'Bank',
    });
    expect(without).toMatchObject({ status: 400, body: { error: 'invalid_software_statement' } });
    const again = await manage(site, 'put', registered, {
      ...METADATA,
      client_id: registered.client_id,
      client_name: 'Bank',
      software_statement,
    });
    expect(again).toMatchObject({ status: 200, body: { client_name: 'Certain Frames' } });
  });

  test('§3.2.2 a software statement is refused without verifySoftwareStatement', async () => {
    await using plain = await openSite({ registration: { open: true } });
    expect(await register(plain, { ...METADATA, software_statement: await sign({}) })).toMatchObject(
      refusal(400, 'unapproved_software_statement'),
    );
  });
});
