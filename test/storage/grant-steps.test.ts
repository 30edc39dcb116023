import { beforeAll, describe, expect, test } from '@jest/globals';

import type { Grant, TokenWrite } from '../../lib/core/grants/grant.js';
import { createGrantId } from '../../lib/shared/crypto/secrets.js';
import { createStores } from '../../lib/storage/stores.js';
import { openDatabase } from '../support/database.js';
import { fixture } from '../support/site-for.js';

/**
 * The steps of a grant's life, each a single command that checks and writes: if something has changed between a
 * request's read and its write, the command does nothing.
 */
const database = fixture(() => openDatabase());
const stores = fixture(() => createStores(database.connection, { timeout: 5000 }));
beforeAll(async () => {
  await stores.ready();
});

const now = new Date();
const later = new Date(now.getTime() + 60_000);
const write: TokenWrite = {
  accessToken: { hash: 'new access', expiresAt: later },
  refreshToken: { hash: 'new refresh', familyHash: 'family', expiresAt: later },
  now,
  expiresAt: later,
};

async function store(parts: Pick<Grant, 'code' | 'device' | 'refreshToken'>): Promise<string> {
  const grantId = createGrantId();
  await stores.grants.insert({
    grantId,
    clientId: 'shop',
    grantType: 'authorization_code',
    authorization: { userId: 'ada', scopes: ['profile'], resources: [] },
    ...parts,
    accessTokens: [],
    createdAt: now,
    expiresAt: later,
  });
  return grantId;
}

const code = {
  hash: 'code',
  expiresAt: later,
  redirectUri: 'https://a.example/',
  isRedirectUriRequired: true,
};
const device = { hash: 'device', expiresAt: later, interval: 5, nextPollAt: now };
const refreshToken = { hash: 'refresh', familyHash: 'family', expiresAt: later };
const presented = { hash: 'refresh', familyHash: 'family' };
const allowed = { decision: 'allow', userId: 'ada', scopes: ['profile'] } as const;

/** The earlier state of the grant, as a step gets it. */
const before = (grantId: string) => ({ grantId, refreshToken, expiresAt: later });

/** The state before each step, the step, and its undo. */
const STEPS = {
  'the use of a code': {
    parts: { code },
    step: (id: string, at: Date, hash = 'code') =>
      stores.grants.redeemCode(before(id), { kind: 'code', hash }, { ...write, now: at }),
    takeBack: (grant: Grant) => stores.grants.undoTokens(grant, write),
  },
  'the use of a refresh token': {
    parts: { refreshToken },
    step: (id: string, at: Date, hash = 'refresh') =>
      stores.grants.storeRefresh(before(id), { ...presented, hash }, { ...write, now: at }),
    takeBack: (grant: Grant) => stores.grants.undoTokens(grant, write),
  },
  'the use of a device code': {
    parts: { device: { ...device, decision: 'allow' as const } },
    step: (id: string, at: Date, hash = 'device') =>
      stores.grants.redeemCode(before(id), { kind: 'device', hash }, { ...write, now: at }),
    takeBack: (grant: Grant) => stores.grants.undoTokens(grant, write),
  },
} as const;

describe.each(Object.entries(STEPS))('%s', (name, { parts, step, takeBack }) => {
  test(`${name} is done once`, async () => {
    const id = await store(parts);
    const done = await Promise.all([step(id, now), step(id, now), step(id, now)]);
    expect(done.filter((isDone) => isDone)).toHaveLength(1);
  });

  test(`${name} is not done by the secret of another grant`, async () => {
    expect(await step(await store(parts), now, 'another')).toBe(false);
  });

  test(`${name} is not done after its expiry`, async () => {
    expect(await step(await store(parts), later)).toBe(false);
  });

  test(`${name} is not done after a revocation at that moment`, async () => {
    const id = await store(parts);
    await database.update('oauth_grants', id, { $set: { revokedAt: now } });
    expect(await step(id, now)).toBe(false);
  });

  test(`${name} is undone completely, and once`, async () => {
    const id = await store(parts);
    const first = (await stores.grants.find(id))!;
    expect(await takeBack(first)).toBe(false);
    await step(id, now);
    expect(await takeBack(first)).toBe(true);
    expect(await stores.grants.find(id)).toEqual(first);
    expect(await takeBack(first)).toBe(false);
    expect(await step(id, now)).toBe(true);
  });

  test(`${name} is not undone after a revocation, or if another request did it`, async () => {
    const [revoked, other] = [await store(parts), await store(parts)];
    const [first, second] = [(await stores.grants.find(revoked))!, (await stores.grants.find(other))!];
    await step(revoked, now);
    await stores.grants.revokeAll({ clientId: 'shop' }, now);
    expect(await takeBack(first)).toBe(false);
    await database.update('oauth_grants', other, { $set: { accessTokens: [{ hash: 'of another' }] } });
    expect(await takeBack(second)).toBe(false);
  });
});

test('a code redeemed by another request is not undone, even without refresh tokens', async () => {
  const id = await store({ code });
  const grant = (await stores.grants.find(id))!;
  const { refreshToken: _none, ...first } = write;
  const second = { ...first, accessToken: { ...first.accessToken, hash: 'of another' } };
  await stores.grants.redeemCode(grant, { kind: 'code', hash: 'code' }, second);
  expect(await stores.grants.undoTokens(grant, first)).toBe(false);
  expect(await stores.grants.undoTokens(grant, second)).toBe(true);
});

describe('the decision on a device', () => {
  const decide = (id: string, at = now) => stores.grants.decideDeviceCode(id, allowed, at);

  test('the first decision on a device counts', async () => {
    const id = await store({ device });
    expect(await stores.grants.decideDeviceCode(id, { ...allowed, decision: 'deny', scopes: [] }, now)).toBe(
      true,
    );
    expect(await decide(id)).toBe(false);
    expect((await stores.grants.find(id))?.device?.decision).toBe('deny');
  });

  test('a decision on an expired device code does not count', async () => {
    expect(await decide(await store({ device }), later)).toBe(false);
  });

  test('a decision on a device does not count after a revocation at that moment', async () => {
    const id = await store({ device });
    await stores.grants.revokeAll({ clientId: 'shop' }, now);
    expect(await decide(id)).toBe(false);
  });

  test('a denied device code gives no tokens', async () => {
    const id = await store({ device: { ...device, decision: 'deny' } });
    expect(await stores.grants.redeemCode(before(id), { kind: 'device', hash: 'device' }, write)).toBe(false);
  });
});

describe('a refresh token', () => {
  test('the current refresh token is never revoked as a reuse', async () => {
    const id = await store({ refreshToken });
    expect(await stores.grants.revokeReusedRefreshToken(id, presented, now)).toBe(false);
    expect((await stores.grants.find(id))?.revokedAt).toBeUndefined();
  });

  test('a refresh token of a revoked grant repeats no answer', async () => {
    const id = await store({ refreshToken });
    const resend = { hash: 'refresh', sealed: '', rotatedAt: now };
    await stores.grants.storeRefresh(before(id), presented, { ...write, resend });
    await stores.grants.revokeAll({ clientId: 'shop' }, now);
    expect(await stores.grants.markResent(id, 'refresh')).toBe(false);
  });

  test('a refresh whose answer was sent again is not undone, for the client has its tokens', async () => {
    const id = await store({ refreshToken });
    const first = (await stores.grants.find(id))!;
    const resend = { hash: 'refresh', sealed: '', rotatedAt: now };
    await stores.grants.storeRefresh(before(id), presented, { ...write, resend });
    await stores.grants.markResent(id, 'refresh');
    expect(await stores.grants.undoTokens(first, write)).toBe(false);
  });
});

test('a list of consents has the newest', async () => {
  // clients in another order than their consents
  for (const [minute, clientId] of ['b', 'c', 'a'].entries())
    await stores.consents.remember('ada', clientId, {
      requested: ['profile'],
      allowed: ['profile'],
      clientName: clientId,
      now: new Date(now.getTime() + minute * 60_000),
    });
  const { ids, names } = await stores.consents.listNames('ada', { limit: 2, by: 'renewed' });
  expect([ids, names]).toEqual([
    ['a', 'c'],
    ['a', 'c'],
  ]);
});
