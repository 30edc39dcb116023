import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import type { ClientWithSecret } from '../../lib/index.js';
import { createPerson, type Person } from '../support/person.js';
import { openSite, REDIRECT_URI, type Site } from '../support/site.js';
import { type SiteProcess, startSiteProcess } from '../support/site-process.js';
import { basic, tokenRequest } from '../support/tokens.js';

const ROUNDS = process.env.STRESS === '1' ? 2000 : 60;
/** In each process, for each code. */
const REQUESTS = 2;
const OPTIONS = {
  grantTypes: ['authorization_code', 'refresh_token', 'password'],
  rateLimits: false,
  authorizationCodeTtl: 600,
} as const;

/** The third process: it hands out what the two others fight for. */
let site: Site;
let processes: readonly SiteProcess[];
let client: ClientWithSecret;
let ada: Person;

beforeAll(async () => {
  site = await openSite(OPTIONS);
  const database = site.database.connection.name;
  processes = await Promise.all([0, 1].map(() => startSiteProcess({ ...OPTIONS, database })));
  client = await site.client({ trusted: true });
  ada = createPerson(site);
  await ada.logIn();
}, 60_000);
afterAll(async () => {
  await Promise.all(processes.map((each) => each.stop()));
  await site.close();
});

interface Answer {
  readonly by: number;
  readonly status: number;
  readonly body: { readonly access_token: string; readonly refresh_token: string; readonly error?: string };
}

async function post(by: number, fields: Record<string, string>): Promise<Answer> {
  const response = await fetch(`${processes[by]?.url}/oauth/token`, {
    method: 'POST',
    headers: { Authorization: basic(client.clientId, client.clientSecret ?? '') },
    body: new URLSearchParams(fields),
  });
  return { by, status: response.status, body: (await response.json()) as Answer['body'] };
}

/** The same request from both processes at once, several times; who begins changes from round to round. */
function postAtOnce(round: number, fields: Record<string, string>): Promise<Answer[]> {
  return Promise.all(Array.from({ length: 2 * REQUESTS }, (_, index) => post((round + index) % 2, fields)));
}

async function callEverywhere(token: string): Promise<number[]> {
  const headers = { Authorization: `Bearer ${token}` };
  return Promise.all(processes.map(async ({ url }) => (await fetch(`${url}/api/me`, { headers })).status));
}

function grantOf(token: string) {
  return site.database.connection.collection('oauth_grants').findOne({ _id: token.slice(7, 29) as never });
}

/** Exactly one is answered with tokens, the others with invalid_grant. */
function winnerOf(answers: readonly Answer[]): Answer {
  const statuses = answers.map(({ status }) => status).sort();
  expect(statuses).toEqual([200, ...Array.from({ length: answers.length - 1 }, () => 400)]);
  for (const { status, body } of answers) if (status === 400) expect(body.error).toBe('invalid_grant');
  return answers.find(({ status }) => status === 200) as Answer;
}

/** Nothing that was issued from the grant can be used any more, at neither process. */
async function expectDead({
  access_token: token,
  refresh_token: refreshToken,
}: Answer['body']): Promise<void> {
  expect(await callEverywhere(token)).toEqual([401, 401]);
  expect((await grantOf(token))?.revokedAt).toBeInstanceOf(Date);
  expect((await post(0, { grant_type: 'refresh_token', refresh_token: refreshToken })).status).toBe(400);
}

describe('two processes, one database', () => {
  test(
    `RFC 6749 §4.1.2 of ${2 * REQUESTS} requests for a code one wins, and its tokens die with the replay: ${ROUNDS} codes`,
    async () => {
      const wins = [0, 0];
      for (let round = 0; round < ROUNDS; round += 1) {
        const location = await ada.authorize({
          response_type: 'code',
          client_id: client.clientId,
          redirect_uri: REDIRECT_URI,
        });
        const code = location.searchParams.get('code') ?? '';
        const winner = winnerOf(
          await postAtOnce(round, { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI }),
        );
        wins[winner.by] = (wins[winner.by] ?? 0) + 1;
        await expectDead(winner.body);
      }
      expect(wins[0]).toBeGreaterThan(0);
      expect(wins[1]).toBeGreaterThan(0);
    },
    60 * 60_000,
  );

  test(
    `RFC 9700 §4.14.2 of ${2 * REQUESTS} requests with a refresh token one wins, and the reuse ends the grant: ${ROUNDS / 2} tokens`,
    async () => {
      const wins = [0, 0];
      for (let round = 0; round < ROUNDS / 2; round += 1) {
        const { body: first } = await tokenRequest(site, client, {
          grant_type: 'password',
          username: 'ada',
          password: 'password of ada',
        });
        expect(await callEverywhere(first.access_token)).toEqual([200, 200]);
        const winner = winnerOf(
          await postAtOnce(round, { grant_type: 'refresh_token', refresh_token: first.refresh_token }),
        );
        wins[winner.by] = (wins[winner.by] ?? 0) + 1;
        await expectDead(winner.body);
        await expectDead(first);
      }
      expect(wins[0]).toBeGreaterThan(0);
      expect(wins[1]).toBeGreaterThan(0);
    },
    60 * 60_000,
  );

  test('a code that only one asks for keeps its tokens, at both', async () => {
    const location = await ada.authorize({
      response_type: 'code',
      client_id: client.clientId,
      redirect_uri: REDIRECT_URI,
    });
    const { body } = await post(0, {
      grant_type: 'authorization_code',
      code: location.searchParams.get('code') ?? '',
      redirect_uri: REDIRECT_URI,
    });
    expect(await callEverywhere(body.access_token)).toEqual([200, 200]);
    const refreshed = await post(1, { grant_type: 'refresh_token', refresh_token: body.refresh_token });
    expect(await callEverywhere(refreshed.body.access_token)).toEqual([200, 200]);
  });
});
