import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';

import type { OAuthEvent } from '../../../lib/index.js';
import { AUDIENCE, CAEP, openTransmittingSite, RISC, SSF } from '../../support/shared-signals.js';
import { openSite, type Site } from '../../support/site.js';
import { fixture } from '../../support/site-for.js';
import { callApi, obtainTokens } from '../../support/tokens.js';
import { until } from '../../support/until.js';

const SECRET = 'Bearer of the test 3f1c9d7e5b2a4860';

const idp = fixture(() => openTransmittingSite());

describe.each(['push', 'poll'] as const)('signals of one server to another by %s', (delivery) => {
  let shop: Site;
  let ended: string[] = [];
  const received: OAuthEvent<'signal.received'>[] = [];

  beforeAll(async () => {
    shop = await openSite({
      sharedSignals: {
        receiver: {
          transmitters: [
            {
              issuer: idp.url,
              audience: AUDIENCE,
              allowPrivateAddresses: true,
              delivery,
              accessToken: () => idp.tokenOf(),
              ...(delivery === 'push' && { authorization: SECRET }),
              findUser: ({ iss, sub }) => (iss === idp.url ? String(sub) : null),
            },
          ],
          endSessions: (userId) => void ended.push(userId),
          onSignal: () => undefined,
        },
      },
    });
    shop.oauth.events.on('signal.received', (event) => void received.push(event));
    if (delivery === 'push') await shop.oauth.sharedSignals.transmitter(idp.url).createStream();
    // the receiver itself creates the stream for polls
    else await until(async () => (await idp.oauth.sharedSignals.streams()).length > 0);
  });
  beforeEach(() => {
    ended = [];
    received.length = 0;
  });
  afterAll(async () => {
    const client = shop.oauth.sharedSignals.transmitter(idp.url);
    const streams = await client.readStreams();
    for (const { stream_id: id } of streams) await client.deleteStream(id);
    expect(await client.readStreams()).toEqual([]);
    await shop.close();
  });

  test('a logout everywhere at the transmitter ends the sessions at the receiver', async () => {
    const client = await shop.client();
    const { access_token: access } = await obtainTokens(shop, client);
    await idp.oauth.grants.revoke({ userId: 'ada' });
    await until(() => ended.includes('ada'));
    expect((await callApi(shop, access)).status).toBe(401);
    expect(received.map(({ reason }) => reason)).toEqual([`${CAEP}session-revoked`]);
  });

  test('the end of one client at the transmitter ends no sessions at the receiver', async () => {
    const { clientId } = await idp.client();
    await idp.oauth.grants.revoke({ userId: 'ada', clientId });
    await idp.oauth.sharedSignals.emit('account-enabled', { userId: 'ada' });
    await until(() => received.length > 0);
    expect(received.map(({ reason }) => reason)).toEqual([`${RISC}account-enabled`]);
    expect(ended).toEqual([]);
  });

  test('account-disabled ends the sessions at the receiver', async () => {
    await idp.oauth.sharedSignals.emit('account-disabled', {
      userId: 'grace',
      event: { reason: 'hijacking' },
    });
    await until(() => ended.includes('grace'));
  });

  test('the receiver gets the verification event of its request', async () => {
    const client = shop.oauth.sharedSignals.transmitter(idp.url);
    const [stream] = await client.readStreams();
    expect(await client.readStatus(stream!.stream_id)).toEqual({ status: 'enabled' });
    await client.verify(stream!.stream_id);
    await until(() => received.length > 0);
    expect(received.map(({ reason }) => reason)).toEqual([`${SSF}verification`]);
  });

  test('a paused stream delivers its events once it is enabled again', async () => {
    const client = shop.oauth.sharedSignals.transmitter(idp.url);
    const [stream] = await client.readStreams();
    const { stream_id: id } = stream!;
    await client.updateStatus(id, 'paused', 'maintenance');
    expect(await client.readStatus(id)).toEqual({ status: 'paused', reason: 'maintenance' });
    await idp.oauth.sharedSignals.emit('session-revoked', { userId: 'bob' });
    await client.updateStatus(id, 'enabled');
    await until(() => ended.includes('bob'));
  });
});

test('a received signal is not sent on, so two servers do not loop', async () => {
  await using partner = await openTransmittingSite(
    {},
    {
      sharedSignals: {
        transmitter: { receivers: [{ clientId: 'desk' }], allowPrivateAddresses: true },
        receiver: {
          transmitters: [
            {
              issuer: idp.url,
              audience: AUDIENCE,
              allowPrivateAddresses: true,
              accessToken: () => idp.tokenOf(),
              findUser: ({ sub }) => String(sub),
            },
          ],
          endSessions: () => undefined,
        },
      },
    },
  );
  const issued: unknown[] = [];
  partner.oauth.events.on('signal.issued', (event) => issued.push(event));
  await partner.stream();
  await partner.oauth.sharedSignals.transmitter(idp.url).createStream();
  const revoked = new Promise((resolve) => partner.oauth.events.once('grant.revoked', resolve));
  await idp.oauth.grants.revoke({ userId: 'ada' });
  expect(await revoked).toMatchObject({ userId: 'ada', reason: 'shared_signal' });
  expect(await partner.oauth.sharedSignals.emit('account-enabled', { userId: 'ada' })).toBe(1);
  expect(issued).toMatchObject([{ reason: `${RISC}account-enabled` }]);
});
