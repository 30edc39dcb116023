import { afterAll, beforeAll, expect, test } from '@jest/globals';

import type { ClientWithSecret } from '../../lib/index.js';
import { IS_LONG, reportProgress } from '../support/long-run.js';
import { createPerson, locationOf, type Person } from '../support/person.js';
import { openSite, type Site } from '../support/site.js';
import { type SiteProcess, startSiteProcess, type Weight } from '../support/site-process.js';
import { askForCode, post, untilServed, withCode, withRefreshToken } from './asking.js';

/** `SOAK=600 npm run test:stress -- soak`: for that many seconds. */
const SECONDS = Number(process.env.SOAK ?? (IS_LONG ? 1800 : 2));
const SAMPLES = 12;
const LANES = 8;
/** The stored documents expire during the run. */
const OPTIONS = {
  grantTypes: ['authorization_code', 'refresh_token', 'client_credentials'],
  security: { rateLimits: { token: 1_000_000, login: 1_000_000 } },
  lifetimes: { accessToken: 30, refreshToken: 60 },
  audit: { ttl: 60 },
} as const;

let site: Site;
let soaked: SiteProcess;
let client: ClientWithSecret;

beforeAll(async () => {
  site = await openSite(OPTIONS);
  soaked = await startSiteProcess({ ...OPTIONS, database: site.database.connection.name });
  client = await site.client({ trusted: true });
});
afterAll(async () => {
  await soaked.stop();
  await site.close();
});

/** A machine that others keep busy sheds load: requests with 503 are repeated, and counted. */
let turnedAway = 0;
const served = <Reply extends { readonly status: number }>(ask: () => PromiseLike<Reply>) =>
  untilServed(ask, () => (turnedAway += 1));

const ask = (fields: Readonly<Record<string, string>>, path?: string) =>
  served(() => post(soaked.url, client, fields, path));

async function call(token: string): Promise<number> {
  const answer = await served(async () => {
    const response = await fetch(`${soaked.url}/api/me`, { headers: { Authorization: `Bearer ${token}` } });
    // a body that nobody reads keeps its connection busy
    await response.arrayBuffer();
    return response;
  });
  return answer.status;
}

/** The requests of clients, right and wrong, for one user. */
async function flow(person: Person, index: number): Promise<void> {
  const code = locationOf(await served(() => person.openAuthorize(askForCode(client)))).searchParams.get(
    'code',
  );
  const first = await ask(withCode(code ?? ''));
  const second = await ask(withRefreshToken(first.body.refresh_token));
  const own = await ask({ grant_type: 'client_credentials' });
  expect([first.status, second.status, own.status]).toEqual([200, 200, 200]);
  for (const { body } of [first, second, own]) expect(await call(body.access_token)).toBe(200);
  expect(await call(`${first.body.access_token.slice(0, -1)}_`)).toBe(401);
  if (index % 3 === 0) {
    // a reuse ends the whole grant
    expect((await ask(withRefreshToken(first.body.refresh_token))).status).toBe(400);
    expect(await call(second.body.access_token)).toBe(401);
  } else if (index % 3 === 1) {
    expect((await ask({ token: second.body.refresh_token }, '/oauth/revoke')).status).toBe(200);
    expect(await call(second.body.access_token)).toBe(401);
  }
}

test(`${SECONDS} s of client requests get right answers, and neither memory nor data pile up`, async () => {
  const end = Date.now() + SECONDS * 1000;
  const weights: Weight[] = [];
  let flows = 0;
  const describeLast = () =>
    `${flows} flows, ${turnedAway} × 503, ${JSON.stringify(weights.at(-1) ?? 'not weighed yet')}`;
  const stopTelling = reportProgress(describeLast);
  const lane = async () => {
    const person = createPerson({ server: soaked.url });
    await person.logIn();
    while (Date.now() < end) await flow(person, (flows += 1));
  };
  const weighing = async () => {
    for (let sample = 1; sample <= SAMPLES; sample += 1) {
      await new Promise((next) => setTimeout(next, (SECONDS * 1000) / SAMPLES));
      weights.push(await soaked.weigh());
    }
  };
  await Promise.all([weighing(), ...Array.from({ length: LANES }, lane)]).finally(stopTelling);
  expect(flows).toBeGreaterThanOrEqual(LANES);
  if (!IS_LONG) return;
  console.info(
    `${flows} flows, ${turnedAway} × 503\n${weights.map((weight) => JSON.stringify(weight)).join('\n')}`,
  );
  // a third to warm up; the two others must be alike
  const heapOf = (part: readonly Weight[]) => Math.max(...part.map(({ heap }) => heap));
  expect(heapOf(weights.slice(8))).toBeLessThan(1.15 * heapOf(weights.slice(4, 8)));
});
