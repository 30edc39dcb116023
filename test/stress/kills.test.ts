import { setTimeout as delay } from 'node:timers/promises';

import { afterAll, beforeAll, expect, test } from '@jest/globals';

import type { ClientWithSecret } from '../../lib/index.js';
import { createPerson, type Person } from '../support/person.js';
import { openSite, REDIRECT_URI, type Site } from '../support/site.js';
import { type SiteProcess, startSiteProcess } from '../support/site-process.js';
import { basic, callApi } from '../support/tokens.js';

const IS_LONG = process.env.STRESS === '1';
const KILLS = IS_LONG ? 1000 : 3;
const PROCESSES = IS_LONG ? 3 : 2;
/** Flows that go on at the same moment. */
const CLIENTS = 8;
const REFRESHES = 3;
const OPTIONS = {
  grantTypes: ['authorization_code', 'refresh_token'],
  rateLimits: false,
  authorizationCodeTtl: 600,
  reuseGrace: 60,
} as const;

/** This process hands out codes and looks at what became of them; the others are killed. */
let site: Site;
let client: ClientWithSecret;
let ada: Person;
const living: SiteProcess[] = [];
let isOver = false;

beforeAll(async () => {
  site = await openSite(OPTIONS);
  client = await site.client({ trusted: true });
  ada = createPerson(site);
  await ada.logIn();
  for (let index = 0; index < PROCESSES; index += 1) living.push(await startOne());
}, 60_000);
afterAll(async () => {
  await Promise.all(living.map((each) => each.stop()));
  await site.close();
});

const startOne = () => startSiteProcess({ ...OPTIONS, database: site.database.connection.name });

/** One after the other, at no moment in particular; another process takes the place of each. */
async function killAll(): Promise<void> {
  for (let kills = 0; kills < KILLS; kills += 1) {
    await delay(50 + Math.random() * 400);
    const [victim] = living.splice(Math.floor(Math.random() * living.length), 1);
    await victim?.kill();
    living.push(await startOne());
  }
  isOver = true;
}

interface Answer {
  readonly status: number;
  readonly body: {
    readonly access_token: string;
    readonly refresh_token: string;
    readonly error?: string;
  };
  /** Whether an answer to the same request was lost before. */
  readonly isRepeated: boolean;
}

/** As a client does it that has read the documents: no answer, or 503, and the same request goes to the next process. */
async function post(fields: Record<string, string>): Promise<Answer> {
  for (let tries = 0; ; tries += 1) {
    const { url } = living[Math.floor(Math.random() * living.length)]!;
    try {
      const response = await fetch(`${url}/oauth/token`, {
        method: 'POST',
        headers: { Authorization: basic(client.clientId, client.clientSecret ?? '') },
        body: new URLSearchParams(fields),
      });
      const body = (await response.json()) as Answer['body'];
      if (response.status !== 503) return { status: response.status, body, isRepeated: tries > 0 };
    } catch {
      // killed while it answered, or before
    }
    await delay(20);
  }
}

const seen = { flows: 0, lostAnswers: 0, lostTwiceInARow: 0 };

/** A code, and some refreshes: each has its answer, at the first try or at a later one, and the last token lives. */
async function flow(): Promise<void> {
  const location = await ada.authorize({
    response_type: 'code',
    client_id: client.clientId,
    redirect_uri: REDIRECT_URI,
  });
  let last = await post({
    grant_type: 'authorization_code',
    code: location.searchParams.get('code') ?? '',
    redirect_uri: REDIRECT_URI,
  });
  seen.flows += 1;
  seen.lostAnswers += Number(last.isRepeated);
  expect([last.status, last.body.error]).toEqual([200, undefined]);
  for (let refreshes = 0; refreshes < REFRESHES; refreshes += 1) {
    const next = await post({ grant_type: 'refresh_token', refresh_token: last.body.refresh_token });
    seen.lostAnswers += Number(next.isRepeated);
    // by which a thief in step with the client is noticed: what was sent again is not so twice in a row
    if (next.status === 400 && next.isRepeated && last.isRepeated) {
      seen.lostTwiceInARow += 1;
      expect((await callApi(site, last.body.access_token)).status).toBe(401);
      return;
    }
    expect([next.status, next.body.error]).toEqual([200, undefined]);
    expect(next.body.refresh_token).not.toBe(last.body.refresh_token);
    last = next;
  }
  expect((await callApi(site, last.body.access_token)).status).toBe(200);
  // of a request that came several times one has stored its tokens
  const grantId = last.body.access_token.slice(7, 29);
  const grant = await site.database.connection.collection('oauth_grants').findOne({ _id: grantId as never });
  expect(grant?.accessTokens).toHaveLength(1 + REFRESHES);
}

test(
  `${KILLS} kills of processes in the middle of what they do: each client has its tokens in the end, and once`,
  async () => {
    const flows = Array.from({ length: CLIENTS }, async () => {
      while (!isOver) await flow();
    });
    await Promise.all([killAll(), ...flows]);
    if (IS_LONG) console.info(JSON.stringify(seen));
    expect(seen.flows).toBeGreaterThan(KILLS);
    // of three kills all may come at a moment when nobody waits
    if (IS_LONG) expect(seen.lostAnswers).toBeGreaterThan(0);
  },
  6 * 60 * 60_000,
);
