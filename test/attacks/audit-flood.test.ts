import { expect, test } from '@jest/globals';

import { createAudit } from '../../lib/core/observability/audit.js';
import type { AuditEntry, AuditRecord } from '../../lib/core/observability/audit-log.js';
import { createEvents } from '../../lib/core/observability/events.js';
import { letPass } from '../support/clock.js';
import { allowStored, DEVICE_GRANT_TYPES, poll, startDevice } from '../support/device.js';
import { openSite } from '../support/site.js';
import { basic, createPkce, obtainCode, postToken, redeem, refreshTokens } from '../support/tokens.js';

test('wrong secrets of one caller are some audit entries, and a count of the others', async () => {
  await using site = await openSite({ audit: { ttl: 60 }, security: { rateLimits: { token: 5 } } });
  const { clientId } = await site.client();
  const guess = () =>
    postToken(site, { grant_type: 'client_credentials' }).set('Authorization', basic(clientId, 'wrong'));
  for (let i = 0; i < 60; i += 1) await guess();
  const types = async () => {
    const counts = new Map<string, number[]>();
    for (const { type, count = 1 } of await site.oauth.audit.find({ limit: 1000 }))
      counts.set(type, [...(counts.get(type) ?? []), count]);
    return Object.fromEntries(counts);
  };
  const stored = {
    'client.created': [1],
    'client.authentication_failed': Array(5).fill(1),
    'token.refused': Array(5).fill(1),
    'rate.limited': Array(10).fill(1),
  };
  expect(await types()).toEqual(stored);
  letPass(61);
  expect(await types()).toEqual({ ...stored, 'rate.limited': [45, ...Array<number>(10).fill(1)] });
  expect(await site.oauth.audit.find({ clientId, limit: 1 })).toEqual([
    {
      type: 'rate.limited',
      reason: 'rate_limited',
      time: expect.any(Date),
      ip: expect.any(String),
      endpoint: 'token',
      error: 'temporarily_unavailable',
      grantType: 'client_credentials',
      clientId,
      count: 45,
    },
  ]);
});

test('replays by a public client are one audit entry for each code and token', async () => {
  await using site = await openSite({
    audit: { ttl: 60 },
    security: { rateLimits: false },
    grantTypes: DEVICE_GRANT_TYPES,
  });
  const client = await site.client({ type: 'public' });
  const { code_verifier, challenge } = createPkce();
  const code = () => obtainCode(site, client, { query: challenge });
  const used = await code();
  await redeem(site, client, used, { code_verifier }).expect(200);
  const first = (await redeem(site, client, await code(), { code_verifier })).body;
  const refresh = () => refreshTokens(site, client, first.refresh_token);
  await refresh().expect(200);
  const device = await startDevice(site, client, { scope: 'profile' });
  await allowStored(site, device);
  expect((await poll(site, client, device)).status).toBe(200);
  for (let i = 0; i < 20; i += 1) {
    await redeem(site, client, used, { code_verifier }).expect(400);
    await refresh().expect(400);
    expect((await poll(site, client, device)).status).toBe(400);
  }
  const entries = await site.oauth.audit.find({ limit: 1000 });
  const replays = entries.filter(({ type }) => /replayed|reused|revoked/.test(type)).map(({ type }) => type);
  expect(replays.sort()).toEqual([
    'code.replayed',
    'code.replayed',
    'grant.revoked',
    'grant.revoked',
    'grant.revoked',
    'refresh.reused',
  ]);
  // the others are folded, like all refusals
  expect(entries.filter(({ type }) => type === 'token.refused').length).toBeLessThan(20);
});

/** The audit of a site, with requests from addresses of the test. */
function startAudit() {
  const stored: AuditEntry[] = [];
  const events = createEvents();
  const audit = createAudit({
    log: {
      createId: () => String(stored.length),
      append: (entries: readonly AuditRecord[]) => Promise.resolve(void stored.push(...entries)),
      find: () => Promise.resolve([]),
    },
    events,
    ttl: 60,
  });
  const refuse = (ip: string, error = 'invalid_grant') =>
    events.emit('token.refused', { error, endpoint: 'token' }, { ip, headers: {} } as never);
  return { stored, audit, refuse };
}

test('refusals of very many addresses are at most some thousand entries a minute, all counted', async () => {
  const { stored, audit, refuse } = startAudit();
  for (let i = 0; i < 20_000; i += 1)
    for (const error of ['invalid_grant', 'invalid_client']) refuse(`10.0.${i >> 8}.${i & 255}`, error);
  await audit.close();
  expect(stored.length).toBeLessThan(2000);
  expect(stored.reduce((sum, { count = 1 }) => sum + count, 0)).toBe(40_000);
  // differing members are left out
  expect(stored.at(-1)).toEqual(
    expect.not.objectContaining({ ip: expect.anything(), error: expect.anything() }),
  );
});

test('an IPv6 network is one caller in the audit, with a new entry each minute', async () => {
  const { stored, audit, refuse } = startAudit();
  for (let i = 0; i < 100; i += 1) refuse(`2001:db8:1:2::${i.toString(16)}`);
  refuse('192.0.2.1');
  letPass(61);
  refuse('2001:db8:1:2::1');
  await audit.flush();
  expect(stored.map(({ count = 1 }) => count)).toEqual([...Array<number>(11).fill(1), 90, 1]);
  await audit.close();
});
