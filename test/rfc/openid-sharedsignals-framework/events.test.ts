import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { letPass } from '../../support/clock.js';
import {
  CAEP,
  openReceiver,
  openToken,
  openTransmittingSite,
  PUSH,
  RISC,
  SSF,
} from '../../support/shared-signals.js';
import { fixture } from '../../support/site-for.js';
import { until } from '../../support/until.js';

let id: string;
const ada = () => ({ format: 'iss_sub', iss: site.url, sub: 'ada' });
const emit = (userId = 'ada') => site.oauth.sharedSignals.emit('account-enabled', { userId });
/** The claims of the pushed tokens, once there are `count` of them. */
const pushed = async (count: number) => {
  await until(() => receiver.pushes.length >= count);
  return Promise.all(receiver.pushes.map(async ({ body }) => (await openToken(site, body)).payload));
};
const poll = async (body: object = {}) =>
  (await site.api('post', `/poll/${id}`, { returnImmediately: true, ...body })).body as {
    sets: Record<string, string>;
  };
const polled = async () => {
  const { sets } = await poll();
  return Promise.all(Object.values(sets).map(async (token) => (await openToken(site, token)).payload));
};

const site = fixture(() => openTransmittingSite());
const receiver = fixture(() => openReceiver());
afterEach(async () => {
  await site.api('delete', `/streams?stream_id=${id}`);
  receiver.pushes.length = 0;
  receiver.status = 202;
});

describe('§4 a security event token', () => {
  beforeEach(async () => {
    id = await site.stream({
      delivery: { method: PUSH, endpoint_url: receiver.url, authorization_header: 'Bearer of the receiver' },
    });
  });

  test('a security event token has a typ and a sub_id, and no claims of other JWTs [3.1-1] [3.1.1-1] [3.1.4-1] [3.4-1] [4.1.1-1] [4.1.2-1] [4.1.3-1] [4.1.6-1] [4.1.7-1] [4.1.9-1] [4.1.9-2] [4.2.1-1] [7.2.4-4]', async () => {
    await site.oauth.grants.revoke({ userId: 'ada' });
    await pushed(1);
    const { payload, protectedHeader } = await openToken(site, receiver.pushes[0]!.body);
    expect(protectedHeader).toEqual({ alg: 'RS256', typ: 'secevent+jwt', kid: expect.any(String) });
    expect(payload).toEqual({
      iss: site.url,
      aud: 'https://photos.example',
      jti: expect.any(String),
      iat: expect.any(Number),
      txn: expect.any(String),
      sub_id: ada(),
      events: {
        [`${CAEP}session-revoked`]: {
          event_timestamp: expect.any(Number),
          initiating_entity: 'system',
          reason_admin: { en: expect.any(String) },
        },
      },
    });
  });

  test('§6.1.1 a pushed token has the Authorization header of the receiver [6.1.1-1]', async () => {
    await emit();
    await pushed(1);
    expect(receiver.pushes[0]!.headers).toMatchObject({
      authorization: 'Bearer of the receiver',
      'content-type': 'application/secevent+jwt',
      accept: 'application/json',
    });
  });

  test('events of one cause share a txn, and other events do not', async () => {
    const event = { credential_type: 'password', change_type: 'update' };
    await site.oauth.sharedSignals.emit('credential-change', { userId: 'ada', event, txn: 'of one cause' });
    await site.oauth.sharedSignals.emit('session-revoked', { userId: 'ada', txn: 'of one cause' });
    await emit();
    const txns = (await pushed(3)).map(({ txn }) => txn);
    expect(txns.filter((txn) => txn === 'of one cause')).toHaveLength(2);
    expect(new Set(txns).size).toBe(2);
  });

  test('emit accepts a subject instead of a userId', async () => {
    const subject = { format: 'email', email: 'ada@photos.example' };
    const event = { 'new-value': 'lovelace@photos.example' };
    await site.oauth.sharedSignals.emit('identifier-changed', { subject, event });
    expect(await pushed(1)).toMatchObject([
      { sub_id: subject, events: { [`${RISC}identifier-changed`]: event } },
    ]);
  });
});

describe('§8.1.2 the status', () => {
  beforeEach(async () => {
    id = await site.stream();
  });

  test('a stream is enabled at first, and a token with ssf.read reads the status [8.1.2.1-1] [8.1.2.1-2]', async () => {
    const reading = await site.tokenOf(site.desk, 'ssf.read');
    const { status, body } = await site.api('get', `/status?stream_id=${id}`, undefined, reading);
    expect([status, body]).toEqual([200, { stream_id: id, status: 'enabled' }]);
  });

  test('a paused stream stores events in their order [8.1.2.1-3] [8.1.2.1-4] [8.1.2.1-7] [8.1.2.2-1]', async () => {
    const sent = { stream_id: id, status: 'paused', reason: 'maintenance' };
    const { status, body } = await site.api('post', '/status', sent);
    expect([status, body]).toEqual([200, sent]);
    await site.oauth.sharedSignals.emit('account-disabled', { userId: 'ada' });
    await emit();
    expect(await poll()).toEqual({ sets: {} });
    await site.api('post', '/status', { stream_id: id, status: 'enabled' });
    expect((await polled()).map(({ events }) => Object.keys(events as object))).toEqual([
      [`${RISC}account-disabled`],
      [`${RISC}account-enabled`],
    ]);
  });

  test('a disabled stream stores no events [8.1.2.1-8]', async () => {
    await emit();
    await site.api('post', '/status', { stream_id: id, status: 'disabled' });
    expect(await emit()).toBe(0);
    await site.api('post', '/status', { stream_id: id, status: 'enabled' });
    expect(await poll()).toEqual({ sets: {} });
  });

  test.each(['on', undefined, 7])('the stream status %s is refused', async (status) => {
    expect((await site.api('post', '/status', { stream_id: id, status })).status).toBe(400);
  });

  test('§8.1.5 a status change by the transmitter is sent as an event, also by a paused stream [8.1.2-1] [8.1.5-1] [8.1.5-2] [8.1.5-3] [8.1.5-4]', async () => {
    const { sharedSignals } = site.oauth;
    await emit();
    expect(await sharedSignals.updateStatus({ streamId: id, status: 'paused', reason: 'a storm' })).toBe(
      true,
    );
    const [update, ...others] = await polled();
    expect(others).toEqual([]);
    expect(update).toMatchObject({
      sub_id: { format: 'opaque', id },
      events: { [`${SSF}stream-updated`]: { status: 'paused', reason: 'a storm' } },
    });
    await poll({ ack: [update!.jti] });
    await sharedSignals.updateStatus({ streamId: id, status: 'enabled' });
    expect((await polled()).map(({ events }) => Object.keys(events as object)[0])).toEqual([
      `${RISC}account-enabled`,
      `${SSF}stream-updated`,
    ]);
    expect(await sharedSignals.updateStatus({ streamId: 'nonsense', status: 'paused' })).toBe(false);
  });
});

describe('§8.1.3 subjects', () => {
  beforeEach(async () => {
    id = await site.stream();
  });

  test('a stream has all subjects at first, until the receiver removes a subject [8.1.3.2-1] [8.1.3.3-1]', async () => {
    expect(await emit()).toBe(1);
    const removed = await site.api('post', '/subjects/remove', { stream_id: id, subject: ada() });
    expect([removed.status, removed.text]).toEqual([204, '']);
    expect(await emit()).toBe(0);
    expect(await emit('grace')).toBe(1);
    // the order of the members does not matter
    const { iss, sub } = ada();
    const added = await site.api('post', '/subjects/add', {
      stream_id: id,
      subject: { sub, iss, format: 'iss_sub' },
      verified: true,
    });
    expect([added.status, added.text]).toEqual([200, '']);
    expect(await emit()).toBe(1);
  });

  test('complex subjects match if their common members match (§8.1.3.1)', async () => {
    const user = { format: 'email', email: 'ada@photos.example' };
    const group = (url: string) => ({ format: 'did', url });
    const subject = { format: 'complex', user, group: group('did:example:123456') };
    await site.api('post', '/subjects/remove', { stream_id: id, subject });
    const about = (other: object) =>
      site.oauth.sharedSignals.emit('session-revoked', { subject: { format: 'complex', ...other } });
    expect(await about({ user })).toBe(0);
    expect(await about({ user, group: group('did:example:9999999') })).toBe(1);
    expect(await about({ user: { ...user, email: 'grace@photos.example' } })).toBe(1);
  });

  test.each([
    ['nothing', undefined],
    ['a string', 'ada'],
    ['half an iss_sub', { format: 'iss_sub', sub: 'ada' }],
    ['complex without members', { format: 'complex' }],
    ['complex within complex', { format: 'complex', user: { format: 'complex' } }],
  ])('a subject that is %s is refused', async (_what, subject) => {
    for (const path of ['/subjects/add', '/subjects/remove'])
      expect((await site.api('post', path, { stream_id: id, subject })).status).toBe(400);
  });

  test('a stream with defaultSubjects NONE has only added subjects', async () => {
    await using other = await openTransmittingSite({ defaultSubjects: 'NONE' });
    const own = await other.stream();
    const send = () => other.oauth.sharedSignals.emit('account-enabled', { userId: 'ada' });
    const subject = { format: 'iss_sub', iss: other.url, sub: 'ada' };
    expect(await send()).toBe(0);
    await other.api('post', '/subjects/add', { stream_id: own, subject });
    expect(await send()).toBe(1);
    await other.api('post', '/subjects/remove', { stream_id: own, subject });
    expect(await send()).toBe(0);
  });

  test('§10.1 the option subject names the subject of a user, or omits the user', async () => {
    await using other = await openTransmittingSite({
      subject: ({ userId }) =>
        userId === 'eve' ? null : { format: 'email', email: `${userId}@photos.example` },
    });
    const own = await other.stream();
    const { sharedSignals } = other.oauth;
    expect(await sharedSignals.emit('session-revoked', { userId: 'eve' })).toBe(0);
    await sharedSignals.emit('session-revoked', { userId: 'ada' });
    const { body } = await other.api('post', `/poll/${own}`, { returnImmediately: true });
    const [token] = Object.values(body.sets as Record<string, string>);
    expect((await openToken(other, token!)).payload.sub_id).toEqual({
      format: 'email',
      email: 'ada@photos.example',
    });
  });
});

describe('§8.1.4 verification', () => {
  beforeEach(async () => {
    id = await site.stream({ delivery: { method: PUSH, endpoint_url: receiver.url } });
  });

  test('a verification event has the state of the request, and the stream as its subject [8.1.4.1-1] [8.1.4.1-2] [8.1.4.2-1] [8.1.4.2-2]', async () => {
    const { status, text } = await site.api('post', '/verify', { stream_id: id, state: 'of the receiver' });
    expect([status, text]).toEqual([204, '']);
    expect(await pushed(1)).toMatchObject([
      { sub_id: { format: 'opaque', id }, events: { [`${SSF}verification`]: { state: 'of the receiver' } } },
    ]);
  });

  test('a verification request needs a stream_id, but no state', async () => {
    await site.api('post', '/verify', { stream_id: id });
    expect((await pushed(1))[0]!.events).toEqual({ [`${SSF}verification`]: {} });
    expect((await site.api('post', '/verify', { stream_id: id, state: 7 })).status).toBe(400);
    expect((await site.api('post', '/verify', {})).status).toBe(400);
  });

  test('a verification request within minVerificationInterval is refused', async () => {
    await using other = await openTransmittingSite({ minVerificationInterval: 60 });
    const own = await other.stream();
    const verify = async () => (await other.api('post', '/verify', { stream_id: own })).status;
    expect([await verify(), await verify()]).toEqual([204, 429]);
    letPass(61);
    expect(await verify()).toBe(204);
  });
});
