import { randomUUID } from 'node:crypto';
import { once } from 'node:events';

import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Response } from 'supertest';

import { letPass } from '../support/clock.js';
import { recordCommands, type RecordedCommand } from '../support/commands.js';
import { connectTo, databaseUri } from '../support/database.js';
import { type MongoProxy, startMongoProxy } from '../support/mongo-proxy.js';
import { createPerson } from '../support/person.js';
import { register } from '../support/registration.js';
import { openSite, type Site } from '../support/site.js';
import { callApi, obtainCode, obtainTokens, redeem, tokenRequest } from '../support/tokens.js';
import { untilServed } from './asking.js';

/** The number of commands that run at once; ten times as many wait. */
const POOL = 2;
const CLIENTS = 50;
/** Of a full queue 5 to 10 seconds, of a silent database 5. */
const RETRY_AFTER = expect.stringMatching(/^([5-9]|10)$/);

let proxy: MongoProxy;
let site: Site;

beforeAll(async () => {
  proxy = await startMongoProxy(databaseUri(`overload_${randomUUID().slice(0, 8)}`));
  site = await openSite({
    database: await connectTo(proxy.uri, { maxPoolSize: POOL }),
    security: { rateLimits: false },
    advanced: {
      // commands wait for their turn for half of it, which a busy machine must not need
      databaseTimeout: 60_000,
      // a change stream would take one of the connections
      clientCacheTtl: 0,
    },
    registration: { open: true },
  });
});
afterAll(async () => {
  proxy.mend();
  const { connection } = site.database;
  await connection.dropDatabase();
  await site.close();
  await connection.close();
  await proxy.close();
});
beforeEach(() => proxy.slow(0));

const statuses = (responses: readonly Response[]) =>
  [...new Set(responses.map(({ status }) => status))].sort();
const revoked = () => site.database.collection('oauth_grants').countDocuments({ revokedAt: { $ne: null } });

/** All at once while the database is slow, and those with 503 once more. */
async function expectRetriesToDo(uses: readonly (() => PromiseLike<Response>)[]): Promise<void> {
  const before = await revoked();
  let answers: readonly Response[] = [];
  proxy.slow(200);
  const commands = await recordCommands(site.database, async () => {
    answers = await Promise.all(uses.map((use) => use()));
  });
  proxy.slow(0);
  expect(statuses(answers)).toEqual([200, 503]);
  const refused = answers.filter(({ status }) => status === 503);
  for (const { headers, body } of refused)
    expect([headers['retry-after'], body.error]).toEqual([RETRY_AFTER, 'temporarily_unavailable']);
  const done = commands.filter(
    ({ name, collection }) => /^(update|findAndModify)$/.test(name) && collection === 'oauth_grants',
  ).length;
  expect(done).toBe(answers.length - refused.length);
  const again = uses.filter((_use, index) => answers[index]?.status === 503);
  expect(statuses(await Promise.all(again.slice(0, POOL * 10).map((ask) => untilServed(ask))))).toEqual([
    200,
  ]);
  expect(await revoked()).toBe(before);
}

/** Prepares codes or tokens before the flood; a busy machine may be too slow for a few of them. */
async function prepare<T>(obtain: () => Promise<T>): Promise<readonly T[]> {
  const ready: T[] = [];
  for (let tries = 0; ready.length < CLIENTS && tries < 2 * CLIENTS; tries += 1)
    await obtain().then(
      (each) => ready.push(each),
      () => undefined,
    );
  expect(ready).toHaveLength(CLIENTS);
  return ready;
}

describe('more requests than a slow database can do', () => {
  test('a code that an overloaded server answered 503 is unused, and works later', async () => {
    const client = await site.client();
    const codes = await prepare(() => obtainCode(site, client));
    await expectRetriesToDo(codes.map((code) => () => redeem(site, client, code).then()));
  });

  test('a refresh token that an overloaded server answered 503 is unused, and its grant lives', async () => {
    const client = await site.client();
    const tokens = await prepare(async () => (await obtainTokens(site, client)).refresh_token);
    await expectRetriesToDo(
      tokens.map(
        (token) => () =>
          tokenRequest(site, client, { grant_type: 'refresh_token', refresh_token: token }).then(),
      ),
    );
  });

  test('an overloaded server begins nothing new, and completes started requests', async () => {
    const client = await site.client();
    const { access_token: token } = await obtainTokens(site, client);
    const machine = await site.client({ grantTypes: ['client_credentials'] });
    const askForToken = () => tokenRequest(site, machine, { grant_type: 'client_credentials' }).then();
    const sent = once(site.database.connection.getClient(), 'commandStarted');
    proxy.freeze();
    const begun = askForToken();
    await sent;
    const waiting = Promise.all(
      Array.from({ length: 4 * POOL }, () => site.oauth.clients.listOfOwner('ada')),
    );
    letPass(1);
    const commands = await recordCommands(site.database, async () => {
      const [requested, guarded, registered, page] = await Promise.all([
        askForToken(),
        callApi(site, token),
        register(site),
        createPerson(site).openAuthorize({ client_id: client.clientId }),
      ]);
      for (const { status, headers, body } of [requested, guarded, registered])
        expect([status, headers['retry-after'], body.error]).toEqual([
          503,
          RETRY_AFTER,
          'temporarily_unavailable',
        ]);
      expect([page.status, page.headers['retry-after']]).toEqual([503, RETRY_AFTER]);
    });
    const isOfWaiting = ({ command }: RecordedCommand) => JSON.stringify(command).includes('coOwnerIds');
    expect(commands.filter((command) => !isOfWaiting(command))).toEqual([]);
    proxy.mend();
    expect(await waiting).toHaveLength(4 * POOL);
    expect((await begun).status).toBe(200);
  });
});
