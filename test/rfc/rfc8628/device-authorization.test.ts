import { describe, expect, test } from '@jest/globals';
import request from 'supertest';

import {
  DEVICE_CODE,
  deviceClient,
  deviceRequest,
  openDeviceSite,
  startDevice,
  storedDevice,
} from '../../support/device.js';
import { postForm } from '../../support/person.js';
import { openSite, type Site } from '../../support/site.js';
import { fixture } from '../../support/site-for.js';

const site = fixture(() => openDeviceSite({ security: { rateLimits: false } }));
const client = fixture(() => deviceClient(site));
const confidential = fixture(() => deviceClient(site, { type: 'confidential' }));

const post = (fields: string | object) =>
  request(site.server).post('/oauth/device_authorization').type('form').send(fields);

describe('§3.1 device authorization request', () => {
  test('§3.1 a public client has to send its client_id for a device request [3.1-1]', async () => {
    await post({ client_id: client.clientId }).expect(200);
    expect((await post({})).body.error).toBe('invalid_client');
    expect((await post({ client_id: 'nobody' })).body.error).toBe('invalid_client');
  });

  test('§3.1 a confidential client has to authenticate for a device request [3.1-7]', async () => {
    await deviceRequest(site, confidential).expect(200);
    await post({ client_id: confidential.clientId, client_secret: confidential.clientSecret }).expect(200);
    expect((await post({ client_id: confidential.clientId })).body.error).toBe('invalid_client');
    const wrong = await deviceRequest(site, { ...confidential, clientSecret: 'wrong' });
    expect([wrong.status, wrong.body.error, wrong.headers['www-authenticate']]).toEqual([
      401,
      'invalid_client',
      expect.stringContaining('Basic'),
    ]);
  });

  test('§3.1 the scope of a device request is stored, or the default without a scope [3.1-2]', async () => {
    const named = await storedDevice(site, await startDevice(site, client, { scope: 'photos:read' }));
    expect(named?.authorization?.scopes).toEqual(['photos:read']);
    const unnamed = await storedDevice(site, await startDevice(site, client));
    expect(unnamed?.authorization?.scopes).toEqual(['photos:read', 'photos:write', 'profile']);
  });

  test('§3.1 a parameter without a value counts as omitted [3.1-4]', async () => {
    const { body } = await post(`client_id=${client.clientId}&scope=`).expect(200);
    expect((await storedDevice(site, body))?.authorization?.scopes).toEqual([
      'photos:read',
      'photos:write',
      'profile',
    ]);
    expect((await post('client_id=')).body.error).toBe('invalid_client');
  });

  test('§3.1 unknown parameters are ignored, also repeated parameters [3.1-5]', async () => {
    await post(
      `client_id=${client.clientId}&colour=red&colour=blue&user_code=AAAA-AAAA&device_code=x`,
    ).expect(200);
  });

  test('§3.1 a repeated parameter is refused, and no member of the response is repeated [3.1-6]', async () => {
    for (const repeated of ['scope=profile&scope=profile', `scope=profile&client_id=${client.clientId}`]) {
      expect((await post(`client_id=${client.clientId}&${repeated}`)).body.error).toBe('invalid_request');
    }
    const { text } = await post({ client_id: client.clientId });
    const names = [...text.matchAll(/"(\w+)":/g)].map(([, name]) => name);
    expect(names).toEqual([...new Set(names)]);
  });

  test('§3.1 a device request has to be a POST with the parameters in the body', async () => {
    const got = await request(site.server).get(`/oauth/device_authorization?client_id=${client.clientId}`);
    expect([got.status, got.headers.allow]).toEqual([405, 'POST']);
    expect(
      (await postForm(request(site.server), `/oauth/device_authorization?client_id=${client.clientId}`, ''))
        .status,
    ).toBe(400);
  });
});

describe('§3.2 device authorization response', () => {
  test('§3.2 the device response has both codes, the address, the lifetime and the interval [3.2-1] [3.2-2] [3.2-3] [3.2-4] [3.2-5] [3.2-6] [3.3-2]', async () => {
    const response = await deviceRequest(site, client).expect(200);
    expect(response.headers['content-type']).toMatch(/^application\/json/);
    expect(response.headers['cache-control']).toBe('no-store');
    expect(response.body).toEqual({
      device_code: expect.stringMatching(/^eas_dc_[\w-]{65}$/),
      user_code: expect.stringMatching(/^[A-Z]{4}-[A-Z]{4}$/),
      verification_uri: `${site.url}/oauth/device`,
      verification_uri_complete: `${site.url}/oauth/device?user_code=${response.body.user_code}`,
      expires_in: 600,
      interval: 5,
    });
  });

  test('§3.2 expires_in is the lifetime of both codes from the option deviceCode [3.2-5]', async () => {
    await using brief = await openDeviceSite({
      lifetimes: { deviceCode: 90 },
      security: { rateLimits: false },
    });
    const authorization = await startDevice(brief, await deviceClient(brief));
    expect(authorization.expires_in).toBe(90);
    const grant = await storedDevice(brief, authorization);
    const userCode = await brief.database.collection('oauth_user_codes').findOne({});
    expect(grant?.device.expiresAt.getTime() - grant?.createdAt.getTime()).toBe(90_000);
    expect(userCode?.expiresAt).toEqual(grant?.device.expiresAt);
  });

  test.each([
    ['an unknown scope', { scope: 'everything' }, 'invalid_scope'],
    ['a malformed scope', { scope: 'a"b' }, 'invalid_scope'],
  ])('§3.2 %s is answered with an error of RFC 6749 §5.2 [3.2-8]', async (_what, fields, error) => {
    const response = await deviceRequest(site, client, fields);
    expect([response.status, response.body]).toEqual([400, { error, error_description: expect.any(String) }]);
  });

  test('§3.2 a client without the device grant gets unauthorized_client, and nothing is stored [3.2-8]', async () => {
    const other = await site.client({ grantTypes: ['authorization_code'] });
    const response = await deviceRequest(site, other);
    expect([response.status, response.body.error]).toEqual([400, 'unauthorized_client']);
    expect(await site.database.collection('oauth_grants').countDocuments({ clientId: other.clientId })).toBe(
      0,
    );
  });

  test('§5.2 the device code has 256 random bits, and both codes are stored as hashes [5.2-1]', async () => {
    const { connection } = site.database;
    const authorization = await startDevice(site, client);
    const stored = JSON.stringify([
      await connection.collection('oauth_grants').find().toArray(),
      await connection.collection('oauth_user_codes').find().toArray(),
    ]);
    expect(Buffer.from(authorization.device_code.slice(-43), 'base64url')).toHaveLength(32);
    expect(stored).not.toContain(authorization.device_code.slice(-43));
    expect(stored).not.toContain(authorization.user_code);
    expect(stored).not.toContain(authorization.user_code.replace('-', ''));
  });

  test('§6.1 the user code has no vowels, no digits and no look-alikes [6.1-1]', async () => {
    const letters = new Set<string>();
    for (let index = 0; index < 60; index += 1)
      for (const letter of (await startDevice(site, client)).user_code.replace('-', '')) letters.add(letter);
    expect([...letters].sort().join('')).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]+$/);
    expect(letters.size).toBeGreaterThan(15);
  });

  test('the limit by address applies only to device requests of public clients', async () => {
    await using limited = await openDeviceSite();
    const frame = await deviceClient(limited);
    for (let index = 0; index < 60; index += 1) await deviceRequest(limited, frame).expect(200);
    const refused = await deviceRequest(limited, frame).expect(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(await limited.database.collection('oauth_user_codes').countDocuments()).toBe(60);
    const shop = await deviceClient(limited, { type: 'confidential' });
    for (let index = 0; index < 61; index += 1) await deviceRequest(limited, shop).expect(200);
  });
});

describe('§4 metadata', () => {
  const metadataOf = async (of: Site) =>
    (await request(of.server).get('/.well-known/oauth-authorization-server').expect(200)).body;

  test('§4 the metadata has the device endpoint and the grant type [4-1] [4-2]', async () => {
    const metadata = await metadataOf(site);
    expect(metadata.device_authorization_endpoint).toBe(`${site.url}/oauth/device_authorization`);
    expect(metadata.grant_types_supported).toContain(DEVICE_CODE);
  });

  test('§4 a site without the device grant has no endpoint and metadata for devices [4-1] [4-2]', async () => {
    await using without = await openSite();
    const metadata = await metadataOf(without);
    expect(metadata).not.toHaveProperty('device_authorization_endpoint');
    expect(metadata.grant_types_supported).not.toContain(DEVICE_CODE);
    await postForm(request(without.server), '/oauth/device_authorization', {
      client_id: client.clientId,
    }).expect(404);
    await request(without.server).get('/oauth/device').expect(404);
    expect(without.oauth.endpoints).not.toHaveProperty('device');
  });
});
