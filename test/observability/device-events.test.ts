import { beforeAll, beforeEach, expect, test } from '@jest/globals';

import type { OAuthEvent } from '../../lib/index.js';
import {
  decideOn,
  deviceClient,
  deviceRequest,
  openDeviceSite,
  personOf,
  poll,
  startDevice,
  typeCode,
} from '../support/device.js';
import { hiddenFields, postForm } from '../support/person.js';
import { fixture } from '../support/site-for.js';

const heard: OAuthEvent[] = [];
const namesOf = () => heard.map(({ type }) => type);

/** The events of devices: enough for a host to see an attack, and nothing that would help one. */
const site = fixture(() => openDeviceSite());
const client = fixture(() => deviceClient(site));
const ada = fixture(() => personOf(site));

beforeAll(() => {
  site.oauth.events.on('*', (event) => heard.push(event));
});
beforeEach(() => void heard.splice(0));

test('a device that replays its code after the tokens emits code.replayed, and its grant ends', async () => {
  const authorization = await startDevice(site, client, { scope: 'photos:read profile' });
  await decideOn(ada, authorization, { scopes: ['profile'] });
  await poll(site, client, authorization).expect(200);
  await poll(site, client, authorization).expect(400);
  expect(namesOf()).toEqual([
    'device_code.issued',
    'consent.given',
    'token.issued',
    'code.replayed',
    'grant.revoked',
    'token.refused',
  ]);
  expect(heard[1]).toMatchObject({
    clientId: client.clientId,
    userId: 'ada',
    scopes: ['profile'],
    ip: expect.any(String),
    requestId: expect.any(String),
  });
  expect(heard[4]).toMatchObject({
    clientId: client.clientId,
    userId: 'ada',
    reason: 'device_code_replayed',
  });
});

test('a denied device emits an event, and its earlier polls none', async () => {
  const authorization = await startDevice(site, client, { scope: 'profile' });
  for (let polls = 0; polls < 3; polls += 1) await poll(site, client, authorization).expect(400);
  await decideOn(ada, authorization, { decision: 'deny' });
  await poll(site, client, authorization).expect(400);
  expect(namesOf()).toEqual(['device_code.issued', 'consent.denied', 'token.refused']);
});

test('too many wrong user codes emit one rate.limited', async () => {
  const grace = await personOf(site, 'grace');
  for (let tries = 0; tries < 11; tries += 1) await typeCode(grace, 'BBBB-BBBB');
  expect(heard.map(({ type, userId, endpoint }) => [type, userId, endpoint])).toEqual([
    ['rate.limited', undefined, 'device'],
  ]);
});

test('too many device requests emit rate.limited', async () => {
  for (let requests = 0; requests < 61; requests += 1) await deviceRequest(site, client);
  expect(heard.at(-1)).toMatchObject({
    type: 'rate.limited',
    endpoint: 'device_authorization',
    clientId: client.clientId,
  });
});

test('a disconnection by the user emits grant.revoked', async () => {
  const { csrf_token: csrfToken } = hiddenFields(await ada.agent.get('/oauth/device'));
  for (const action of ['revoke', 'revoke-all'])
    await postForm(ada.agent, `/oauth/authorizations/${action}`, {
      csrf_token: csrfToken,
      client_id: client.clientId,
    });
  expect(
    heard.map((event) => [event.type, event.userId, event.clientId, 'reason' in event && event.reason]),
  ).toEqual([
    ['grant.revoked', 'ada', client.clientId, 'user'],
    ['grant.revoked', 'ada', undefined, 'user'],
  ]);
});

test('no event of a device has a code or a token in it', async () => {
  const confidential = await deviceClient(site, { type: 'confidential' });
  const authorization = await startDevice(site, confidential);
  await decideOn(ada, authorization);
  const { body } = await poll(site, confidential, authorization).expect(200);
  const reported = JSON.stringify(heard);
  for (const secret of [
    authorization.user_code,
    authorization.device_code.slice(-43),
    body.access_token.slice(-43),
    body.refresh_token.slice(-43),
  ])
    expect(reported).not.toContain(secret);
});
