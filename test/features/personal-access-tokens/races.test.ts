import { expect, test } from '@jest/globals';

import { IS_LONG, reportProgress } from '../../support/long-run.js';
import type { Site } from '../../support/site.js';
import { siteFor } from '../../support/site-for.js';
import { callApi } from '../../support/tokens.js';

/** A round is 40 steps of two processes at the same moment. */
const ROUNDS = IS_LONG ? 1000 : 25;

const OPTIONS = { personalAccessTokens: true, security: { rateLimits: false } } as const;
const site = siteFor(OPTIONS);
/** Another process on the same database. */
const there = siteFor(() => ({ ...OPTIONS, issuer: site.url, database: site.database }));

const tokensOf = ({ oauth }: Site) => oauth.personalAccessTokens;

/** The token is rotated, narrowed and used, and ended in the middle. */
test(`no value of a token outlives its end, in ${ROUNDS} races`, async () => {
  let values = 0;
  let round = 0;
  const stopTelling = reportProgress(() => `${round} of ${ROUNDS} races, ${values} values`);
  for (; round < ROUNDS; round++) values += await race(round);
  stopTelling();
  if (IS_LONG) console.info(`${round} races, ${values} values, none alive`);
  expect(values).toBeGreaterThanOrEqual(ROUNDS);
});

/** @returns how many values the token has had */
async function race(round: number): Promise<number> {
  const { token, id } = await tokensOf(site).create({
    userId: `person ${round}`,
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
    (at) => at.oauth.grants.revoke({ userId: `person ${round}` }),
  ];
  const steps = Array.from({ length: 19 }, (_, index) => [rotate, narrow, call][index % 3]!);
  await Promise.all(
    [site, there].flatMap((at) => [...steps, ends[round % ends.length]!].map((step) => step(at))),
  );
  // a rotation after the end yields no value, and an earlier value has ended with the token
  if (round % ends.length === 1) await tokensOf(site).revoke(id);
  const statuses = await Promise.all(
    values.flatMap((value) => [site, there].map(async (at) => (await callApi(at, value)).status)),
  );
  expect(new Set(statuses)).toEqual(new Set([401]));
  expect(await tokensOf(there).find(id)).toBeNull();
  return values.length;
}

test('after 20 simultaneous rotations at most two values of a token work', async () => {
  const { id } = await tokensOf(site).create({ userId: 'ada', name: 'Twice', scopes: ['profile'] });
  const results = await Promise.allSettled(
    Array.from({ length: 20 }, (_, index) => tokensOf(index % 2 ? site : there).rotate(id)),
  );
  const made = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value.token] : []));
  const statuses = await Promise.all(made.map(async (value) => (await callApi(site, value)).status));
  // the last and the former value
  expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(2);
  expect(made.length).toBeGreaterThan(0);
});
