import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import type { ClientWithSecret } from '../../lib/index.js';
import { IS_LONG, reportProgress } from '../support/long-run.js';
import { createPerson, type Person } from '../support/person.js';
import { openSite, type Site } from '../support/site.js';
import { type SiteProcess, startSiteProcess } from '../support/site-process.js';
import { whoseGrantIs } from '../support/tokens.js';
import { type Answer, codeFor, post, withCode, withRefreshToken } from './asking.js';

const ROUNDS = IS_LONG ? 10_000 : 16;
const PROCESSES = IS_LONG ? 4 : 2;
/** Concurrent rounds, each about a code of its own. */
const LANES = IS_LONG ? 4 : 2;
/** How many requests there are with something that can be used once. */
const REQUESTS = 4;
const OPTIONS = {
  grantTypes: ['authorization_code', 'refresh_token'],
  security: { rateLimits: false },
  lifetimes: { authorizationCode: 600 },
} as const;

/** This process issues what the others compete for, and checks what became of it. */
let site: Site;
let processes: readonly SiteProcess[];
let client: ClientWithSecret;
let ada: Person;

beforeAll(async () => {
  site = await openSite(OPTIONS);
  const database = site.database.connection.name;
  processes = await Promise.all(
    Array.from({ length: PROCESSES }, () => startSiteProcess({ ...OPTIONS, database })),
  );
  client = await site.client({ trusted: true });
  ada = createPerson(site);
  await ada.logIn();
});
afterAll(async () => {
  await Promise.all(processes.map((each) => each.stop()));
  await site.close();
});

/** The process whose turn it is; another one begins in each round. */
const processOf = (context: number) => processes[context % PROCESSES]!.url;

/** The same request at several processes at once. */
const postAtOnce = (round: number, fields: Readonly<Record<string, string>>) =>
  Promise.all(Array.from({ length: REQUESTS }, (_, index) => post(processOf(round + index), client, fields)));

async function obtainTokens(round: number): Promise<Answer['body']> {
  const { status, body } = await post(processOf(round), client, withCode(await obtainCode()));
  expect(status).toBe(200);
  return body;
}

async function obtainCode(of = client): Promise<string> {
  const code = await codeFor(ada, of);
  if (code === null) throw new Error('no code');
  return code;
}

async function callEverywhere(token: string): Promise<readonly number[]> {
  const headers = { Authorization: `Bearer ${token}` };
  const statuses = processes.map(async ({ url }) => (await fetch(`${url}/api/me`, { headers })).status);
  return [...new Set(await Promise.all(statuses))];
}

/** Nothing that was issued can be used any more, at any of them. */
async function expectDead(
  round: number,
  { access_token: token, refresh_token: refreshToken }: Answer['body'],
  of = client,
): Promise<void> {
  expect(await callEverywhere(token)).toEqual([401]);
  const grants = site.database.connection.collection('oauth_grants');
  expect((await grants.findOne(whoseGrantIs(token)))?.revokedAt).toBeInstanceOf(Date);
  const refreshed = await post(processOf(round), of, withRefreshToken(refreshToken));
  expect([400, 401]).toContain(refreshed.status);
}

/** Exactly one is answered with tokens, the others with invalid_grant. */
function winnerOf(answers: readonly Answer[]): number {
  const statuses = answers.map(({ status }) => status).sort();
  expect(statuses).toEqual([200, ...Array.from({ length: answers.length - 1 }, () => 400)]);
  for (const { status, body } of answers) if (status === 400) expect(body.error).toBe('invalid_grant');
  return answers.findIndex(({ status }) => status === 200);
}

/** All rounds of a race, some of them concurrent. Returns the number of wins of each winner. */
async function run(
  what: string,
  round: (index: number) => Promise<string>,
): Promise<Readonly<Record<string, number>>> {
  const wins: Record<string, number> = {};
  let next = 0;
  const stopTelling = reportProgress(() => `${what}: ${next} of ${ROUNDS} ${JSON.stringify(wins)}`);
  const lane = async () => {
    while (next < ROUNDS) {
      const winner = await round((next += 1));
      wins[winner] = (wins[winner] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane)).finally(stopTelling);
  if (IS_LONG) console.info(`${what}: ${ROUNDS} rounds, ${JSON.stringify(wins)}`);
  return wins;
}

describe(`${PROCESSES} processes, one database, ${ROUNDS} times`, () => {
  test(`RFC 6749 §4.1.2 of ${REQUESTS} requests for a code one wins, and its tokens die with the replay`, async () => {
    const wins = await run('one code', async (index) => {
      const answers = await postAtOnce(index, withCode(await obtainCode()));
      const winner = winnerOf(answers);
      await expectDead(index, answers[winner]!.body);
      return `process ${(index + winner) % PROCESSES}`;
    });
    expect(Object.keys(wins)).toHaveLength(PROCESSES);
  });

  test(`RFC 9700 §4.14.2 of ${REQUESTS} requests with a refresh token one wins, and the reuse ends the grant`, async () => {
    const wins = await run('one refresh token', async (index) => {
      const first = await obtainTokens(index);
      expect(await callEverywhere(first.access_token)).toEqual([200]);
      const answers = await postAtOnce(index, withRefreshToken(first.refresh_token));
      const winner = winnerOf(answers);
      await expectDead(index, answers[winner]!.body);
      await expectDead(index, first);
      return `process ${(index + winner) % PROCESSES}`;
    });
    expect(Object.keys(wins)).toHaveLength(PROCESSES);
  });

  test('RFC 7009 §2 a refresh and a revocation at once: the revocation is answered 200, and no token lives', async () => {
    await run('refresh and revocation', async (index) => {
      const first = await obtainTokens(index);
      const [refreshed, revoked] = await Promise.all([
        post(processOf(index), client, withRefreshToken(first.refresh_token)),
        post(processOf(index + 1), client, { token: first.refresh_token }, '/oauth/revoke'),
      ]);
      expect(revoked.status).toBe(200);
      await expectDead(index, first);
      if (refreshed.status === 200) await expectDead(index, refreshed.body);
      else expect(refreshed).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
      return refreshed.status === 200 ? 'the refresh' : 'the revocation';
    });
  });

  test('a person takes a connection back while its code is redeemed: no token lives', async () => {
    await run('redemption and disconnection', async (index) => {
      const of = await site.client({ trusted: true });
      const code = await obtainCode(of);
      const [redeemed] = await Promise.all([
        post(processOf(index), of, withCode(code)),
        site.oauth.grants.revoke({ userId: 'ada', clientId: of.clientId }),
      ]);
      if (redeemed.status === 200) await expectDead(index, redeemed.body, of);
      else expect(redeemed).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
      return redeemed.status === 200 ? 'the redemption' : 'the person';
    });
  });

  test('a client is deleted while its code is redeemed, and while another one is asked for: no token lives', async () => {
    await run('redemption, authorization and deletion', async (index) => {
      const of = await site.client({ trusted: true });
      const code = await obtainCode(of);
      const [redeemed, late] = await Promise.all([
        post(processOf(index), of, withCode(code)),
        codeFor(ada, of).catch(() => null),
        site.oauth.clients.delete(of.clientId),
      ]);
      if (redeemed.status === 200) await expectDead(index, redeemed.body, of);
      else expect([400, 401]).toContain(redeemed.status);
      if (late !== null) expect((await post(processOf(index + 1), of, withCode(late))).status).not.toBe(200);
      return `${redeemed.status === 200 ? 'the redemption' : 'the deletion'}${late === null ? '' : ', a code'}`;
    });
  });

  test('a code that only one asks for keeps its tokens, at all of them', async () => {
    const { body } = await post(processOf(0), client, withCode(await obtainCode()));
    expect(await callEverywhere(body.access_token)).toEqual([200]);
    const refreshed = await post(processOf(1), client, withRefreshToken(body.refresh_token));
    expect(await callEverywhere(refreshed.body.access_token)).toEqual([200]);
  });
});
