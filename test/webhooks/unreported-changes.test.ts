import { randomBytes } from 'node:crypto';

import { describe, expect, test } from '@jest/globals';

import type { ReportedChange } from '../../lib/core/observability/events.js';
import { createStores } from '../../lib/storage/stores.js';
import { letPass } from '../support/clock.js';
import { openDatabase } from '../support/database.js';
import { openSite } from '../support/site.js';
import { fixture } from '../support/site-for.js';
import { obtainTokens } from '../support/tokens.js';
import { until } from '../support/until.js';

const database = fixture(() => openDatabase());
const site = fixture(() => openSite({ personalAccessTokens: true, database }));

const outbox = () => database.collection<Stored>('oauth_webhooks');
interface Stored {
  readonly _id: string;
  readonly endpoint: string;
  readonly type: string;
}

/** Makes a change in a process that dies before it emits an event. */
async function changeAndDie(
  change: ReportedChange,
  apply: (models: ReturnType<typeof createStores>, now: Date, die: () => void) => Promise<unknown>,
): Promise<void> {
  const stores = createStores(database.connection, { timeout: 5000, reportsChanges: true });
  const now = new Date();
  await new Promise<void>((dead) => {
    // a dead process neither continues nor answers
    const emit = () => {
      dead();
      return new Promise<never>(() => undefined);
    };
    void stores
      .reportChange(
        change,
        { now, emit },
        () => apply(stores, now, dead),
        () => ({}),
      )
      .then(() => dead());
  });
}

/** Starts the next processes, a while later; the result is their messages in the outbox. */
async function restart(count = 1): Promise<readonly Stored[]> {
  letPass(120);
  const hook = {
    name: 'away',
    url: 'http://127.0.0.1:1/hook',
    secret: `whsec_${randomBytes(32).toString('base64')}`,
    allowPrivateAddresses: true,
    events: ['*'],
  };
  const options = { notify: () => Promise.reject(new Error('no mail today')), webhooks: [hook], database };
  const sites = await Promise.all(
    Array.from({ length: count }, () => openSite({ ...options, personalAccessTokens: true })),
  );
  await until(async () => (await outbox().countDocuments({ endpoint: 'unreported changes' })) === 0);
  for (const each of sites) await each.close();
  const messages = await outbox().find().toArray();
  await outbox().deleteMany({});
  return messages;
}

const typesOf = (messages: readonly Stored[]) => messages.map(({ type }) => type).sort();
const createToken = (userId: string) =>
  site.oauth.personalAccessTokens.create({ userId, name: 'Job', scopes: ['profile'] });

describe('a process that dies between a change and its message', () => {
  test('another process reports the end of a leaked token if the first one dies', async () => {
    const { id: grantId } = await createToken('ada');
    await changeAndDie({ type: 'grant.revoked', grantId, reason: 'token_leaked' }, ({ grants }, now) =>
      grants.revokeNamedToken(grantId, undefined, now),
    );
    expect(typesOf(await restart())).toEqual(['grant.revoked', 'tokenLeaked']);
  });

  test("another process reports a refresh token's reuse and its effects if the first one dies", async () => {
    const client = await site.client();
    await obtainTokens(site, client);
    const grant = await database.collection('oauth_grants').findOne({ clientId: client.clientId });
    const grantId = String(grant?._id);
    await changeAndDie(
      { type: 'grant.revoked', grantId, clientId: client.clientId, reason: 'refresh_reused' },
      ({ grants }, now) => grants.revokeAll({ clientId: client.clientId }, now),
    );
    const messages = await restart();
    expect(typesOf(messages)).toEqual(['grant.revoked', 'refresh.reused', 'reuseDetected']);
    const byId = messages
      .filter(({ endpoint }) => endpoint === 'away')
      .sort((one, other) => (one._id < other._id ? -1 : 1));
    expect(byId.map(({ type }) => type)).toEqual(['refresh.reused', 'grant.revoked']);
  });

  test('another process reports the block of a token if the first one dies', async () => {
    const { id: grantId } = await createToken('ada');
    await changeAndDie({ type: 'token.blocked', grantId }, ({ grants }, now) =>
      grants.blockNamedToken(grantId, { reason: undefined, now }),
    );
    expect(typesOf(await restart())).toEqual(['token.blocked', 'tokenBlocked']);
  });

  test('another process reports the block of a client if the first one dies', async () => {
    const { clientId } = await site.client({ ownerId: 'grace' });
    await changeAndDie({ type: 'client.blocked', clientId }, (_stores, at) =>
      database.update('oauth_clients', clientId, { $set: { blocked: { at } } }),
    );
    expect(typesOf(await restart())).toEqual(['appBlocked', 'client.blocked']);
  });

  test('another process reports a new token if the first one dies', async () => {
    const { id: grantId } = await createToken('ada');
    const change = { type: 'token.issued', grantId, grantType: 'personal_access_token' } as const;
    await changeAndDie(change, (_stores, now) =>
      database.update('oauth_grants', grantId, { $set: { createdAt: now } }),
    );
    expect(typesOf(await restart())).toEqual(['newToken', 'token.issued']);
  });
});

test('several processes report a change of a dead process by one id', async () => {
  const { id: grantId } = await createToken('ada');
  await changeAndDie({ type: 'grant.revoked', grantId, reason: 'token_leaked' }, ({ grants }, now) =>
    grants.revokeNamedToken(grantId, undefined, now),
  );
  const report = await outbox().findOne({ endpoint: 'unreported changes' });
  const first = await restart(2);
  // the report comes again: its process died before it was removed
  await outbox().insertOne(report!);
  const second = await restart();
  expect(typesOf(first)).toEqual(['grant.revoked', 'tokenLeaked']);
  const idsOf = (messages: readonly Stored[]) => messages.map(({ _id }) => _id).sort();
  expect(idsOf(second)).toEqual(idsOf(first));
});

test('a change that was not made is not reported', async () => {
  const { id: grantId } = await createToken('ada');
  await changeAndDie({ type: 'grant.revoked', grantId, reason: 'token_leaked' }, (_stores, _now, die) => {
    die();
    return new Promise(() => undefined);
  });
  expect(await restart()).toEqual([]);
});

test('a report stays until its messages are stored, and has the time of the call', async () => {
  const { id: grantId } = await createToken('ada');
  const { reportChange } = createStores(database.connection, { timeout: 5000, reportsChanges: true });
  const before = Date.now();
  const times: Date[] = [];
  const change = (isStored: boolean) =>
    reportChange(
      { type: 'grant.revoked', grantId, reason: 'token_leaked' },
      { emit: () => Promise.resolve(isStored) },
      (now) => Promise.resolve(times.push(now)),
    );
  const reports = () => outbox().countDocuments({ endpoint: 'unreported changes' });
  const others = await reports();
  await change(true);
  expect(await reports()).toBe(others);
  await change(false);
  expect(await reports()).toBe(others + 1);
  expect(times.every((time) => time.getTime() >= before)).toBe(true);
});
