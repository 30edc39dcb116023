import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { letPass } from '../../support/clock.js';
import {
  openReceiver,
  openToken,
  openTransmittingSite,
  PUSH,
  type TestReceiver,
} from '../../support/shared-signals.js';
import { fixture } from '../../support/site-for.js';
import { until } from '../../support/until.js';

let id: string;
const emit = (userId = 'ada') => site.oauth.sharedSignals.emit('account-enabled', { userId });
const waiting = async () =>
  (await site.oauth.models.Webhook?.countDocuments({ nextAt: { $exists: true } })) ?? 0;

const site = fixture(() => openTransmittingSite());
const receiver = fixture(() => openReceiver());
beforeEach(async () => {
  id = await site.stream({ delivery: { method: PUSH, endpoint_url: receiver.url } });
  receiver.pushes.length = 0;
  receiver.status = 202;
});
afterEach(async () => {
  await site.api('delete', `/streams?stream_id=${id}`);
  // failed messages stay for a month
  await site.oauth.models.Webhook?.deleteMany({});
});

test('§2.1 a security event token is pushed with its content type, and alone [2.1-2] [2.1-3] [2.1-4]', async () => {
  await emit();
  await until(() => receiver.pushes.length > 0);
  const [{ headers, body }] = receiver.pushes as [TestReceiver['pushes'][number]];
  expect(headers).toMatchObject({
    'content-type': 'application/secevent+jwt',
    accept: 'application/json',
    'accept-language': 'en',
  });
  expect((await openToken(site, body)).payload.sub_id).toMatchObject({ sub: 'ada' });
  await until(async () => (await waiting()) === 0);
});

test('§2 a failed push is repeated later with the same jti [2-5] [2-6] [2-7]', async () => {
  receiver.status = 503;
  await emit();
  await until(async () => (await site.oauth.models.Webhook?.countDocuments({ attempts: 1 })) === 1);
  expect(receiver.pushes).toHaveLength(1);
  receiver.status = 202;
  letPass(10);
  await emit('grace');
  await until(async () => (await waiting()) === 0);
  const tokens = await Promise.all(receiver.pushes.map(({ body }) => openToken(site, body)));
  const ofAda = tokens.filter(({ payload }) => (payload.sub_id as { sub?: string }).sub === 'ada');
  expect(ofAda.map(({ payload }) => payload.jti)).toEqual([ofAda[0]!.payload.jti, ofAda[0]!.payload.jti]);
});

test.each([400, 401, 404])('§2 a push that is refused with %i is not repeated [2-6]', async (status) => {
  receiver.status = status;
  const failed: unknown[] = [];
  site.oauth.events.once('signal.failed', (event) => failed.push(event));
  await emit();
  await until(() => failed.length > 0);
  expect(failed).toMatchObject([{ reason: 'given_up', count: 1 }]);
  expect([await waiting(), receiver.pushes.length]).toEqual([0, 1]);
});

describe('pushes that are not sent', () => {
  test('a blocked client gets no push until the client is unblocked', async () => {
    await site.oauth.clients.block('desk', { reason: 'of the test' });
    await emit();
    // the push is postponed
    const later = { isSending: { $ne: true }, nextAt: { $gt: new Date(Date.now() + 300_000) } };
    await until(async () => (await site.oauth.models.Webhook?.countDocuments(later)) === 1);
    expect(receiver.pushes).toHaveLength(0);
    await site.oauth.clients.unblock('desk');
    letPass(700);
    await emit('grace');
    await until(() => receiver.pushes.length >= 2);
  });

  test('a private address gets no push, whatever its name', async () => {
    await using other = await openTransmittingSite({ allowPrivateAddresses: false });
    const refused = await other.api('post', '/streams', {
      delivery: { method: PUSH, endpoint_url: receiver.url },
    });
    expect(refused.status).toBe(400);
    // as if the name had had a public address at the creation of the stream
    const own = await other.stream({ delivery: { method: PUSH, endpoint_url: 'https://receiver.example/' } });
    await other.oauth.models.SignalStream?.updateOne(
      { _id: own },
      { $set: { 'delivery.endpointUrl': receiver.url } },
    );
    await other.oauth.sharedSignals.emit('account-enabled', { userId: 'ada' });
    await until(async () => (await other.oauth.models.Webhook?.countDocuments({ attempts: 1 })) === 1);
    expect(receiver.pushes).toHaveLength(0);
    const message = await other.oauth.models.Webhook?.findOne({}).lean();
    expect(message?.problem).toMatch(/https: URL|public internet/);
  });

  test('a client that is no longer among the receivers gets no push', async () => {
    await emit();
    await until(() => receiver.pushes.length >= 1);
    await using other = await openTransmittingSite({ receivers: [{ clientId: 'somebody else' }] });
    await other.oauth.models.SignalStream?.create({
      _id: 'of the desk',
      clientId: 'desk',
      audience: 'desk',
      delivery: { method: 'push', endpointUrl: receiver.url },
      status: 'enabled',
      createdAt: new Date(),
    });
    expect(await other.oauth.sharedSignals.emit('account-enabled', { userId: 'ada' })).toBe(0);
  });
});

test('a change between push and poll takes waiting events along', async () => {
  receiver.status = 503;
  await emit();
  await until(async () => (await site.oauth.models.Webhook?.countDocuments({ attempts: 1 })) === 1);
  await site.api('patch', '/streams', { stream_id: id, delivery: { method: 'urn:ietf:rfc:8936' } });
  const { body } = await site.api('post', `/poll/${id}`, { returnImmediately: true });
  expect(Object.keys(body.sets as object)).toHaveLength(1);
  receiver.status = 202;
  await site.api('patch', '/streams', {
    stream_id: id,
    delivery: { method: PUSH, endpoint_url: receiver.url },
  });
  await until(() => receiver.pushes.length >= 2);
});
