import { once } from 'node:events';
import { connect } from 'node:net';

import { afterAll, beforeAll, expect, test } from '@jest/globals';

import type { ClientWithSecret } from '../../lib/index.js';
import { openDatabase, type TestDatabase } from '../support/database.js';
import { type Processes, startProcesses } from '../support/processes.js';
import { openSite, type Site } from '../support/site.js';
import { until } from '../support/until.js';

const STREAMS = 10_000;
const PROCESSES = 4;
/** The first person has half of the streams, and these people share the other half. */
const OTHERS = 50;

let database: TestDatabase;
let site: Site;
let client: ClientWithSecret;
let processes: Processes;
const open = new Set<{ destroy(): void }>();

beforeAll(async () => {
  database = await openDatabase();
  processes = await startProcesses(PROCESSES, database.uri, {
    security: { rateLimits: false },
    guard: { cache: true, recheck: 3600 },
  });
  // makes tokens and ends them; those that serve the streams hear of it by the database alone
  site = await openSite({
    database,
    issuer: processes.issuer,
    security: { rateLimits: false },
    scopes: { profile: 'See your name' },
  });
  client = await site.client();
});
afterAll(async () => {
  for (const stream of open) stream.destroy();
  await site.close();
  await processes.close();
  await database.close();
});

/** Opens a stream by a socket alone; `ended` is called when the server has ended it. */
async function openStream(url: string, token: string, ended: () => void): Promise<void> {
  const { host, hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  open.add(socket);
  socket.on('error', () => undefined).on('end', ended);
  socket.write(
    `GET /api/events HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`,
  );
  const [begun] = (await once(socket, 'data')) as [Buffer];
  if (!begun.toString().startsWith('HTTP/1.1 200')) throw new Error(`no stream but ${begun.toString()}`);
}

test(`of ${STREAMS} streams at ${PROCESSES} processes those of one person end, then those of all`, async () => {
  const tokens = await Promise.all(
    Array.from({ length: 1 + OTHERS }, async (_each, index) => {
      const created = await site.oauth.grants.create({
        clientId: client.clientId,
        userId: `person ${index}`,
      });
      return created.accessToken;
    }),
  );
  const ended = tokens.map(() => 0);
  for (let start = 0; start < STREAMS; start += 200)
    await Promise.all(
      Array.from({ length: 200 }, (_each, offset) => {
        const place = start + offset;
        const whose = place % 2 === 0 ? 0 : 1 + (((place - 1) / 2) % OTHERS);
        const url = processes.urls[Math.floor(place / 2) % PROCESSES]!;
        return openStream(url, tokens[whose]!, () => void (ended[whose]! += 1));
      }),
    );
  const half = STREAMS / 2;

  const since = performance.now();
  await site.oauth.grants.revoke({ userId: 'person 0' });
  await until(() => ended[0]! >= half);
  const one = performance.now();
  expect(ended.slice(1).every((count) => count === 0)).toBe(true);

  await site.oauth.grants.revoke({ clientId: client.clientId });
  await until(() => ended.reduce((sum, count) => sum + count) === STREAMS);
  const all = performance.now();
  console.log(
    `${half} streams of one token ended within ${Math.round(one - since)} ms, ${half} of ${OTHERS} tokens within ${Math.round(all - one)} ms`,
  );
});
