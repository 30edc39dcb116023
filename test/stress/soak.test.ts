import { afterAll, beforeAll, expect, test } from '@jest/globals';

import type { ClientWithSecret } from '../../lib/index.js';
import { IS_LONG, LONGEST, tellProgress } from '../support/long-run.js';
import { createPerson, type Person } from '../support/person.js';
import { openSite, type Site } from '../support/site.js';
import { type SiteProcess, startSiteProcess, type Weight } from '../support/site-process.js';
import { codeFor, post, withCode, withRefreshToken } from './asking.js';

/** `SOAK=600 npm run test:stress -- soak`: for so many seconds. */
const SECONDS = Number(process.env.SOAK ?? (IS_LONG ? 1800 : 2));
const SAMPLES = 12;
const LANES = 8;
/** What is stored ends while the run goes on. */
const OPTIONS = {
  grantTypes: ['authorization_code', 'refresh_token', 'client_credentials'],
  rateLimits: { token: 1_000_000, login: 1_000_000 },
  accessTokenTtl: 30,
  refreshTokenTtl: 60,
  audit: { ttl: 60 },
} as const;

let site: Site;
let soaked: SiteProcess;
let client: ClientWithSecret;

beforeAll(async () => {
  site = await openSite(OPTIONS);
  soaked = await startSiteProcess({ ...OPTIONS, database: site.database.connection.name });
  client = await site.client({ trusted: true });
}, 60_000);
afterAll(async () => {
  await soaked.stop();
  await site.close();
});

const call = async (token: string) =>
  (await fetch(`${soaked.url}/api/me`, { headers: { Authorization: `Bearer ${token}` } })).status;

/** What clients do, right and wrong, by one person. */
async function flow(person: Person, index: number): Promise<void> {
  const code = await codeFor(person, client);
  const first = await post(soaked.url, client, withCode(code ?? ''));
  const second = await post(soaked.url, client, withRefreshToken(first.body.refresh_token));
  const own = await post(soaked.url, client, { grant_type: 'client_credentials' });
  expect([first.status, second.status, own.status]).toEqual([200, 200, 200]);
  for (const { body } of [first, second, own]) expect(await call(body.access_token)).toBe(200);
  expect(await call(`${first.body.access_token.slice(0, -1)}_`)).toBe(401);
  if (index % 3 === 0) {
    // used again: all of it ends
    expect((await post(soaked.url, client, withRefreshToken(first.body.refresh_token))).status).toBe(400);
    expect(await call(second.body.access_token)).toBe(401);
  } else if (index % 3 === 1) {
    const revoked = await post(soaked.url, client, { token: second.body.refresh_token }, '/oauth/revoke');
    expect(revoked.status).toBe(200);
    expect(await call(second.body.access_token)).toBe(401);
  }
}

test(
  `${SECONDS} s of what clients do: every answer is the right one, and nothing piles up`,
  async () => {
    const end = Date.now() + SECONDS * 1000;
    const weights: Weight[] = [];
    let flows = 0;
    const describeLast = () => `${flows} flows, ${JSON.stringify(weights.at(-1))}`;
    const stopTelling = tellProgress(describeLast);
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
    expect(flows).toBeGreaterThan(LANES);
    if (!IS_LONG) return;
    console.info(`${flows} flows\n${weights.map((weight) => JSON.stringify(weight)).join('\n')}`);
    // a third to warm up, then the two others are alike
    const heapOf = (part: readonly Weight[]) => Math.max(...part.map(({ heap }) => heap));
    expect(heapOf(weights.slice(8))).toBeLessThan(1.15 * heapOf(weights.slice(4, 8)));
  },
  LONGEST,
);
