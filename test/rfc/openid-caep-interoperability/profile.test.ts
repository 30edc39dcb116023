import { beforeAll, expect, test } from '@jest/globals';
import request from 'supertest';

import type { ReceivedSignal, SignalName } from '../../../lib/index.js';
import { letPass } from '../../support/clock.js';
import { AUDIENCE, CAEP, openTransmittingSite, POLL } from '../../support/shared-signals.js';
import { fixture, siteFor } from '../../support/site-for.js';
import { until } from '../../support/until.js';

let id: string;
const signals: ReceivedSignal[] = [];
const ended: string[] = [];

const idp = fixture(() => openTransmittingSite());
const shop = siteFor(() => ({
  sharedSignals: {
    receiver: {
      transmitters: [
        {
          issuer: idp.url,
          audience: AUDIENCE,
          allowPrivateAddresses: true,
          accessToken: () => idp.tokenOf(),
          findUser: ({ sub, email }) => String(sub ?? email),
        },
      ],
      endSessions: (userId) => void ended.push(userId),
      onSignal: (signal) => void signals.push(signal),
    },
  },
}));

beforeAll(async () => {
  ({ stream_id: id } = await shop.oauth.sharedSignals.transmitter(idp.url).createStream());
});

test.each<[SignalName, Readonly<Record<string, unknown>>]>([
  ['session-revoked', {}],
  ...['create', 'revoke', 'update', 'delete'].map(
    (change_type) =>
      ['credential-change', { credential_type: 'password', change_type }] as [
        SignalName,
        Readonly<Record<string, unknown>>,
      ],
  ),
  ['device-compliance-change', { previous_status: 'compliant', current_status: 'not-compliant' }],
  ['device-compliance-change', { previous_status: 'not-compliant', current_status: 'compliant' }],
])(
  'the event %s with %j reaches the receiver with a reason [3.1-1] [3.2-1] [3.2-2] [3.3-1] [3.3-2]',
  async (name, event) => {
    signals.length = 0;
    await idp.oauth.sharedSignals.emit(name, { userId: 'ada', event });
    await until(() => signals.length > 0);
    expect(signals).toMatchObject([
      {
        type: `${CAEP}${name}`,
        userId: 'ada',
        event: { ...event, reason_admin: { en: expect.any(String) } },
      },
    ]);
  },
);

test('§2.7.3 a token with the scope ssf.read reads streams and changes nothing [2.7.2-4] [2.7.2-5] [2.7.3-2] [2.7.3-3]', async () => {
  const [reading, managing] = [await idp.tokenOf(idp.desk, 'ssf.read'), await idp.tokenOf()];
  for (const token of [reading, managing]) {
    expect((await idp.api('get', '/streams', undefined, token)).status).toBe(200);
    expect((await idp.api('get', `/status?stream_id=${id}`, undefined, token)).status).toBe(200);
  }
  for (const [method, path, body] of [
    ['post', '/streams', {}],
    ['patch', '/streams', { stream_id: id }],
    ['put', '/streams', { stream_id: id, delivery: { method: POLL } }],
    ['delete', `/streams?stream_id=${id}`, undefined],
    ['post', '/status', { stream_id: id, status: 'paused' }],
    ['post', '/verify', { stream_id: id }],
    ['post', '/subjects/remove', { stream_id: id, subject: { format: 'opaque', id: 'x' } }],
  ] as const) {
    const { status, body: answer } = await idp.api(method, path, body, reading);
    expect([path, status, answer.error]).toEqual([path, 403, 'insufficient_scope']);
  }
});

test('§2.7.2 an access token in the query is refused [2.7.2-2]', async () => {
  const token = await idp.tokenOf();
  const { status } = await request(idp.server).get(`/oauth/ssf/streams?access_token=${token}`);
  expect(status).toBeGreaterThanOrEqual(400);
});

test('§2.7.2 an expired or revoked access token is refused [2.7.2-3]', async () => {
  const token = await idp.tokenOf();
  letPass(3 * 3600);
  expect((await idp.api('get', '/streams', undefined, token)).status).toBe(401);
  const other = await idp.tokenOf();
  await idp.oauth.grants.revoke({ clientId: 'desk' });
  expect((await idp.api('get', '/streams', undefined, other)).status).toBe(401);
});

test('§2.4.5.2 a stream that the receiver deletes is gone [2.4.5.2-5]', async () => {
  const client = shop.oauth.sharedSignals.transmitter(idp.url);
  await client.deleteStream(id);
  expect(await client.readStreams()).toEqual([]);
  expect(ended).toContain('ada');
});
