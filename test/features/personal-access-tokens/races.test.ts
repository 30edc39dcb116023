import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { openSite, type Site } from '../../support/site.js';
import { callApi } from '../../support/tokens.js';

const ROUNDS = 25;

let site: Site;
/** Another process on the same database. */
let there: Site;

beforeAll(async () => {
  const options = { personalAccessTokens: true, rateLimits: false } as const;
  site = await openSite(options);
  there = await openSite({ ...options, issuer: site.url, database: site.database });
});
afterAll(async () => {
  await there.close();
  await site.close();
});

const tokensOf = ({ oauth }: Site) => oauth.personalAccessTokens;

/** A thousand steps of two processes at the same moments: replaced, narrowed, used, and in the middle of it ended. */
test('whatever happens at once, no value of a token outlives its end', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { token, id } = await tokensOf(site).create({
      userId: 'ada',
      name: `Round ${round}`,
      scopes: ['photos:read', 'photos:write', 'profile'],
    });
    const values = [token];
    const rotate = async (at: Site) => {
      const rotated = await tokensOf(at)
        .rotate(id, { overlap: 3600 })
        .catch(() => undefined);
      if (rotated !== undefined) values.push(rotated.token);
    };
    const narrow = (at: Site) =>
      tokensOf(at)
        .narrow(id, ['profile'])
        .catch(() => undefined);
    const call = async (at: Site) => {
      const { body, status } = await callApi(at, token);
      expect([200, 401]).toContain(status);
      if (status === 200) expect((body as { scopes: string[] }).scopes).toContain('profile');
    };
    const ends: readonly ((at: Site) => Promise<unknown>)[] = [
      (at) => tokensOf(at).revoke(id),
      (at) => tokensOf(at).revokeLeaked(token),
      (at) => at.oauth.grants.revoke({ userId: 'ada' }),
    ];
    const steps = Array.from({ length: 19 }, (_, index) => [rotate, narrow, call][index % 3]!);
    await Promise.all(
      [site, there].flatMap((at) => [...steps, ends[round % ends.length]!].map((step) => step(at))),
    );
    // a rotation that came after the end has given nothing; one that came before has ended with the token
    if (round % ends.length === 1) await tokensOf(site).revoke(id);
    const statuses = await Promise.all(
      values.flatMap((value) => [site, there].map(async (at) => (await callApi(at, value)).status)),
    );
    expect(new Set(statuses)).toEqual(new Set([401]));
    expect(await tokensOf(there).find(id)).toBeNull();
  }
}, 120_000);

test('of two replacements that have read the same, one counts', async () => {
  const { id } = await tokensOf(site).create({ userId: 'ada', name: 'Twice', scopes: ['profile'] });
  const results = await Promise.allSettled(
    Array.from({ length: 20 }, (_, index) => tokensOf(index % 2 ? site : there).rotate(id)),
  );
  const made = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value.token] : []));
  const statuses = await Promise.all(made.map(async (value) => (await callApi(site, value)).status));
  // the last value and the one before it
  expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(2);
  expect(made.length).toBeGreaterThan(0);
});
