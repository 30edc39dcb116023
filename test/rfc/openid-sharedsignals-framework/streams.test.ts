import { afterEach, describe, expect, test } from '@jest/globals';
import request from 'supertest';

import { AUDIENCE, CAEP, openTransmittingSite, POLL, PUSH, RISC } from '../../support/shared-signals.js';
import { REDIRECT_URI } from '../../support/site.js';
import { fixture } from '../../support/site-for.js';
import { obtainTokens } from '../../support/tokens.js';

const URL_OF_RECEIVER = 'https://receiver.example/events';
const push = { method: PUSH, endpoint_url: URL_OF_RECEIVER };

const site = fixture(() =>
  openTransmittingSite({
    receivers: [{ clientId: 'desk', audience: AUDIENCE }, { clientId: 'other-desk' }],
    allowPrivateAddresses: false,
  }),
);
afterEach(async () => {
  const { body } = await site.api('get', '/streams');
  for (const { stream_id: id } of body as { stream_id: string }[])
    await site.api('delete', `/streams?stream_id=${id}`);
});

describe('§8 access to the stream API', () => {
  test('the stream API refuses a request without a valid token [8-1] [8.1.2.1-5]', async () => {
    for (const path of ['/streams', '/status?stream_id=x']) {
      const { status, headers } = await request(site.server).get(`/oauth/ssf${path}`);
      expect([status, headers['www-authenticate']]).toEqual([401, expect.stringContaining('Bearer')]);
    }
    expect((await site.api('get', '/streams', undefined, 'nonsense')).status).toBe(401);
  });

  test('the stream API refuses a client that is not a receiver, whatever its scopes', async () => {
    const stranger = await site.client({
      grantTypes: ['client_credentials'],
      scopes: ['ssf.manage'],
      redirectUris: [],
    });
    const { status, body } = await site.api('post', '/streams', {}, await site.tokenOf(stranger));
    expect([status, body.error]).toEqual([403, 'access_denied']);
  });

  test('the stream API refuses a token of a person, also for a client that is a receiver', async () => {
    await site.oauth.clients.update('desk', {
      grantTypes: ['authorization_code', 'client_credentials'],
      redirectUris: [REDIRECT_URI],
    });
    const { access_token: given } = await obtainTokens(site, site.desk, { query: { scope: 'ssf.manage' } });
    expect((await site.api('post', '/streams', {}, given)).status).toBe(403);
  });

  test('a client cannot read or change a stream of another client [8-2] [8.1.2.1-6]', async () => {
    const id = await site.stream();
    const other = await site.client({
      clientId: 'other-desk',
      grantTypes: ['client_credentials'],
      scopes: ['ssf.manage', 'ssf.read'],
      redirectUris: [],
    });
    const token = await site.tokenOf(other);
    expect((await site.api('get', '/streams', undefined, token)).body).toEqual([]);
    const { body } = await site.api('post', '/streams', {}, token);
    expect(body.aud).toBe('other-desk');
    for (const [method, path, sent] of [
      ['get', `/streams?stream_id=${id}`, undefined],
      ['get', `/status?stream_id=${id}`, undefined],
      ['delete', `/streams?stream_id=${id}`, undefined],
      ['patch', '/streams', { stream_id: id }],
      ['put', '/streams', { stream_id: id }],
      ['post', '/status', { stream_id: id, status: 'disabled' }],
      ['post', '/verify', { stream_id: id }],
      ['post', '/subjects/add', { stream_id: id, subject: { format: 'opaque', id: 'x' } }],
      ['post', '/subjects/remove', { stream_id: id, subject: { format: 'opaque', id: 'x' } }],
      ['post', `/poll/${id}`, { returnImmediately: true }],
    ] as const)
      expect([path, (await site.api(method, path, sent, token)).status]).toEqual([path, 404]);
    expect((await site.api('get', `/status?stream_id=${id}`)).body.status).toBe('enabled');
  });
});

describe('§8.1.1 a stream', () => {
  test('a stream is created with the requested delivery and the supported events [8.1.1-1] [8.1.1-2] [8.1.1-3] [8.1.1-4] [8.1.1-5] [8.1.1-6]', async () => {
    const events = [`${CAEP}session-revoked`, `${RISC}account-purged`, 'https://coffee.example/event'];
    const { status, body, headers } = await site.api('post', '/streams', {
      delivery: push,
      events_requested: events,
      description: 'of the desk',
    });
    expect([status, headers['cache-control']]).toEqual([201, 'no-store']);
    expect(body).toEqual({
      stream_id: expect.stringMatching(/^[\w.~-]+$/),
      iss: site.url,
      aud: AUDIENCE,
      delivery: push,
      events_supported: expect.arrayContaining(events.slice(0, 2)),
      events_requested: events,
      events_delivered: events.slice(0, 2),
      min_verification_interval: 0,
      description: 'of the desk',
    });
  });

  test('a stream without a delivery is polled [8.1.1.1-4] [8.1.1.1-5] [6.1.2-1]', async () => {
    const streams = [
      (await site.api('post', '/streams', {})).body,
      (await site.api('post', '/streams', {})).body,
    ];
    for (const { stream_id: id, delivery } of streams)
      expect(delivery).toEqual({ method: POLL, endpoint_url: `${site.url}/oauth/ssf/poll/${id}` });
    expect(streams[0].stream_id).not.toBe(streams[1].stream_id);
  });

  test('a client may have ten streams at most [8.1.1.1-2] [8.1.1.1-3]', async () => {
    const made = [];
    for (let count = 0; count < 11; count += 1) made.push((await site.api('post', '/streams', {})).status);
    expect(made).toEqual([...Array<number>(10).fill(201), 409]);
  });

  test('a client may have ten streams at most, if sixty requests arrive at once [8.1.1.1-3]', async () => {
    const made = await Promise.all(Array.from({ length: 60 }, () => site.api('post', '/streams', {})));
    const created = made.filter(({ status }) => status === 201);
    expect((await site.api('get', '/streams')).body).toHaveLength(created.length);
    expect(created.length).toBeLessThanOrEqual(10);
    expect(made.filter(({ status }) => status === 409)).toHaveLength(60 - created.length);
  });

  test.each([
    ['http: to another host', { ...push, endpoint_url: 'http://receiver.example/events' }],
    ['a private address', { ...push, endpoint_url: 'https://10.1.2.3/events' }],
    ['the metadata address of a cloud', { ...push, endpoint_url: 'https://169.254.169.254/latest' }],
    ['loopback', { ...push, endpoint_url: 'https://localhost/events' }],
    ['loopback in IPv6', { ...push, endpoint_url: 'https://[::1]/events' }],
    ['a URL with a password', { ...push, endpoint_url: 'https://a:b@receiver.example/' }],
    ['an invalid URL', { ...push, endpoint_url: 'events' }],
    ['no endpoint_url', { method: PUSH }],
    ['a header with a line end', { ...push, authorization_header: 'Bearer x\r\nHost: inside' }],
    ['a poll address of the receiver', { method: POLL, endpoint_url: 'https://receiver.example/poll' }],
    ['another method', { method: 'urn:ietf:rfc:9999' }],
    ['a string as its value', 'push'],
  ])('a delivery with %s is refused', async (_what, delivery) => {
    expect((await site.api('post', '/streams', { delivery })).status).toBe(400);
  });

  test.each([
    ['events that are no list', { events_requested: 'all' }],
    ['an event that is no string', { events_requested: [7] }],
    ['a description that is no string', { description: {} }],
  ])('a stream with %s is refused', async (_what, body) => {
    expect((await site.api('post', '/streams', body)).status).toBe(400);
  });
});

describe('§8.1.1.2 reading', () => {
  test('a client reads all its streams, or one stream by its id [8.1.1.2-2] [8.1.1.2-3]', async () => {
    expect((await site.api('get', '/streams')).body).toEqual([]);
    const [one, other] = [await site.stream(), await site.stream({ delivery: push })];
    const { body, headers } = await site.api('get', '/streams');
    expect(body.map((stream: { stream_id: string }) => stream.stream_id)).toEqual([one, other]);
    expect(headers['cache-control']).toBe('no-store');
    const { body: single } = await site.api('get', `/streams?stream_id=${other}`);
    expect(single).toEqual(body[1]);
    expect((await site.api('get', '/streams?stream_id=nonsense')).status).toBe(404);
  });

  test('only a token with ssf.manage reads the authorization_header, which is stored encrypted', async () => {
    const delivery = { ...push, authorization_header: 'Bearer of the receiver' };
    const id = await site.stream({ delivery });
    const reading = await site.tokenOf(site.desk, 'ssf.read');
    expect((await site.api('get', `/streams?stream_id=${id}`)).body.delivery).toEqual(delivery);
    expect((await site.api('get', `/streams?stream_id=${id}`, undefined, reading)).body.delivery).toEqual(
      push,
    );
    const stored = await site.oauth.models.SignalStream?.findById(id).lean();
    expect(JSON.stringify(stored)).not.toContain('of the receiver');
  });
});

describe('§8.1.1.3 a change', () => {
  test('a stream update changes only the members in the request [8.1.1.3-3] [8.1.1.3-4]', async () => {
    const id = await site.stream({ delivery: push, description: 'one' });
    const before = (await site.api('get', `/streams?stream_id=${id}`)).body;
    const { status, body } = await site.api('patch', '/streams', { stream_id: id, description: 'two' });
    expect([status, body]).toEqual([200, { ...before, description: 'two' }]);
    const events = [`${CAEP}session-revoked`];
    const { body: next } = await site.api('patch', '/streams', { stream_id: id, events_requested: events });
    expect(next).toEqual({ ...body, events_requested: events, events_delivered: events });
  });

  test('members of the transmitter may be repeated in a stream update, and not be changed [8.1.1.3-5] [8.1.1.3-6] [8.1.1.3-7] [8.1.1.4-3] [8.1.1.4-4] [8.1.1.4-5]', async () => {
    const id = await site.stream({ delivery: push });
    const before = (await site.api('get', `/streams?stream_id=${id}`)).body;
    for (const method of ['patch', 'put'] as const) {
      const { status, body } = await site.api(method, '/streams', { ...before, description: 'of the desk' });
      expect([status, body]).toEqual([200, { ...before, description: 'of the desk' }]);
      for (const [name, value] of [
        ['iss', 'https://evil.example'],
        ['aud', 'https://evil.example'],
        ['events_supported', []],
        ['events_delivered', [`${CAEP}session-revoked`]],
        ['min_verification_interval', 7],
      ] as const)
        expect((await site.api(method, '/streams', { ...before, [name]: value })).status).toBe(400);
    }
    expect((await site.api('get', `/streams?stream_id=${id}`)).body.aud).toBe(AUDIENCE);
  });

  test('a stream update without a stream_id is refused [8.1.1.3-2]', async () => {
    await site.stream();
    for (const method of ['patch', 'put'] as const)
      expect((await site.api(method, '/streams', { description: 'which?' })).status).toBe(400);
  });
});

test('§8.1.1.4 a replacement of a stream deletes omitted members [8.1.1.4-2]', async () => {
  const id = await site.stream({
    delivery: push,
    description: 'one',
    events_requested: [`${CAEP}session-revoked`],
  });
  const { status, body } = await site.api('put', '/streams', { stream_id: id, delivery: push });
  expect([status, body.description, body.events_requested]).toEqual([200, undefined, undefined]);
  expect(body.delivery).toEqual(push);
});

test('§8.1.1.5 a deleted stream is gone, with its waiting events [8.1.1.5-1]', async () => {
  const id = await site.stream();
  const waiting = () => site.oauth.models.Webhook?.countDocuments({ endpoint: `shared signals ${id}` });
  await site.oauth.sharedSignals.emit('account-enabled', { userId: 'ada' });
  expect(await waiting()).toBe(1);
  expect((await site.api('delete', '/streams')).status).toBe(404);
  const { status, text } = await site.api('delete', `/streams?stream_id=${id}`);
  expect([status, text]).toEqual([204, '']);
  expect((await site.api('get', `/streams?stream_id=${id}`)).status).toBe(404);
  expect(await waiting()).toBe(0);
});
