import { Agent, request } from 'node:http';

import { afterAll, beforeAll, expect, test } from '@jest/globals';

import type { ClientWithSecret } from '../../lib/index.js';
import { IS_LONG } from '../support/long-run.js';
import { openSite, type Site } from '../support/site.js';
import { type SiteProcess, startSiteProcess } from '../support/site-process.js';
import { basic } from '../support/tokens.js';

const SECONDS = IS_LONG ? 8 : 1;
/** Enough to keep a process busy, and multiples of that; each connection asks again as soon as it is answered. */
const CONNECTIONS = IS_LONG ? [16, 160, 1600] : [16, 400];
const OPTIONS = { grantTypes: ['client_credentials'], security: { rateLimits: false } } as const;

let site: Site;
let server: SiteProcess;
let client: ClientWithSecret;

beforeAll(async () => {
  site = await openSite(OPTIONS);
  server = await startSiteProcess({ ...OPTIONS, database: site.database.connection.name });
  client = await site.client({ grantTypes: ['client_credentials'] });
});
afterAll(async () => {
  await server.stop();
  await site.close();
  // dropping what a flood has stored takes a database longer than jest waits
});

interface Answered {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly milliseconds: number;
}

/** Not with `fetch`, which would itself be overloaded. */
function ask(agent: Agent): Promise<Answered> {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const sent = request(`${server.url}/oauth/token`, {
      agent,
      method: 'POST',
      headers: {
        Authorization: basic(client.clientId, client.clientSecret ?? ''),
        'Content-Type': 'application/x-www-form-urlencoded',
      },
    });
    sent.on('error', reject).on('response', (response) => {
      response.resume().on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          retryAfter: response.headers['retry-after'],
          milliseconds: performance.now() - began,
        }),
      );
    });
    sent.end('grant_type=client_credentials');
  });
}

async function load(connections: number): Promise<readonly Answered[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const end = Date.now() + SECONDS * 1000;
  const answers: Answered[] = [];
  const lane = async () => {
    while (Date.now() < end) answers.push(await ask(agent));
  };
  await Promise.all(Array.from({ length: connections }, lane));
  agent.destroy();
  return answers;
}

function describeAnswers(answers: readonly Answered[]): string {
  const of = (status: number) => {
    const times = answers.filter((each) => each.status === status).map(({ milliseconds }) => milliseconds);
    const sorted = times.sort((a, b) => a - b);
    const at = (share: number) => Math.round(sorted[Math.floor(share * (sorted.length - 1))] ?? NaN);
    return sorted.length === 0
      ? `no ${status}`
      : `${sorted.length} × ${status}, ${at(0.5)} ms, at most ${at(0.99)} of 99 %`;
  };
  return `${of(200)}; ${of(503)}`;
}

test(`more connections than a process can serve: what is not done is said to be so, for ${SECONDS} s each`, async () => {
  const reported: string[] = [];
  for (const connections of CONNECTIONS) {
    const before = await server.weigh();
    const answers = await load(connections);
    const after = await server.weigh();
    const resident = `${Math.round(before.resident / 1e6)} → ${Math.round(after.resident / 1e6)} MB`;
    reported.push(`${connections} connections: ${describeAnswers(answers)}; resident ${resident}`);
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
    const refused = answers.filter(({ status }) => status !== 200);
    for (const { status, retryAfter } of refused) expect([status, retryAfter]).toEqual([503, '5']);
  }
  if (IS_LONG) console.info(reported.join('\n'));
});
