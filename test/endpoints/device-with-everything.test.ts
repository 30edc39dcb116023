import { expect, test } from '@jest/globals';
import request from 'supertest';

import {
  connectDevice,
  decideDevice,
  decideOn,
  DEVICE_CODE,
  deviceClient,
  deviceRequest,
  openDeviceSite,
  personOf,
  poll,
  startDevice,
  storedDevice,
  typeCode,
} from '../support/device.js';
import { hiddenFields, postForm } from '../support/person.js';
import { fixture } from '../support/site-for.js';
import { callApi } from '../support/tokens.js';

/** Devices together with the other kinds of tokens and clients. */
const PHOTOS = 'https://api.photos.example/';
const ALBUMS = 'https://albums.photos.example/';

const site = fixture(() =>
  openDeviceSite({
    security: { rateLimits: false },
    tokens: { accessTokenFormat: 'jwt' },
    resources: { [PHOTOS]: { scopes: ['photos:read'] }, [ALBUMS]: { scopes: ['profile'] } },
    registration: { open: true, grantTypes: [DEVICE_CODE, 'refresh_token'] },
  }),
);

test('the JWT of a device ends at the guard when its user disconnects it', async () => {
  const client = await deviceClient(site);
  const { access_token: token } = await connectDevice(site, client);
  expect(token.split('.')).toHaveLength(3);
  expect((await callApi(site, token)).status).toBe(200);
  const { agent } = await personOf(site);
  const page = await agent.get('/oauth/authorizations');
  await postForm(agent, '/oauth/authorizations/revoke', {
    ...hiddenFields(page),
    client_id: client.clientId,
  }).expect(303);
  expect((await callApi(site, token)).status).toBe(401);
});

test('a device names the resource of its token, and gets only scopes of it (RFC 8707)', async () => {
  const client = await deviceClient(site);
  const authorization = await startDevice(site, client, { scope: 'photos:read profile', resource: PHOTOS });
  expect((await storedDevice(site, authorization))?.authorization?.scopes).toEqual(['photos:read']);
  await decideOn(await personOf(site), authorization);
  const elsewhere = await poll(site, client, authorization).send({ resource: ALBUMS });
  expect(elsewhere.body.error).toBe('invalid_target');
  const { body } = await poll(site, client, authorization).send({ resource: PHOTOS }).expect(200);
  expect(body.scope).toBe('photos:read');
  expect((await deviceRequest(site, client, { resource: 'https://evil.example/' })).body.error).toBe(
    'invalid_target',
  );
});

test('a self-registered client lives longer once a user allows its device (RFC 7591)', async () => {
  const registered = await request(site.server)
    .post('/oauth/register')
    .send({
      client_name: 'Television',
      token_endpoint_auth_method: 'none',
      grant_types: [DEVICE_CODE],
      scope: 'photos:read',
    });
  expect(registered.status).toBe(201);
  const clients = site.database.collection('oauth_clients');
  const stored = () => clients.findOne({ _id: registered.body.client_id });
  const unused = (await stored())?.expiresAt as Date;
  const client = { ...(await site.oauth.clients.find(registered.body.client_id))! };
  const authorization = await startDevice(site, client);
  const person = await personOf(site);
  const consent = await typeCode(person, authorization.user_code);
  expect(consent.text).toContain('id="client-unverified"');
  expect(await stored()).toHaveProperty('expiresAt', unused);
  await decideDevice(person, consent);
  // `registration.usedTtl`: months, where it was a day
  expect((await stored())?.expiresAt.getTime()).toBeGreaterThan(unused.getTime() + 30 * 86_400_000);
  await poll(site, client, authorization).expect(200);
});
