import { randomUUID } from 'node:crypto';
import { Socket } from 'node:net';

import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import type { Response } from 'supertest';

import { connectTo, databaseUri } from '../support/database.js';
import { IS_LONG, reportProgress } from '../support/long-run.js';
import { type MongoProxy, startMongoProxy } from '../support/mongo-proxy.js';
import { openSite, type Site } from '../support/site.js';
import { callApi, tokenRequest } from '../support/tokens.js';
import { until } from '../support/until.js';

const CUTS = IS_LONG ? 500 : 10;
const BUSY = 40;

let proxy: MongoProxy;
let site: Site;
/** The number of the driver's connections in use. */
let taken = 0;

beforeAll(async () => {
  proxy = await startMongoProxy(databaseUri(`cuts_${randomUUID().slice(0, 8)}`));
  const database = await connectTo(proxy.uri, { maxPoolSize: 50 });
  database.connection
    .getClient()
    .on('connectionCheckedOut', () => void (taken += 1))
    .on('connectionCheckedIn', () => void (taken -= 1));
  site = await openSite({
    database,
    security: { rateLimits: false },
    advanced: {
      databaseTimeout: 1000,
      // a change stream would always use a connection
      clientCacheTtl: 0,
    },
  });
});
afterAll(async () => {
  const { connection } = site.database;
  await connection.dropDatabase();
  await site.close();
  await connection.close();
  await proxy.close();
});

test('a request that a hanging database made 503 occupies no connection while it still hangs', async () => {
  const client = await site.client({ grantTypes: ['client_credentials'] });
  await until(() => taken === 0);
  proxy.freeze();
  const answers = await Promise.all(
    Array.from({ length: BUSY }, () => tokenRequest(site, client, { grant_type: 'client_credentials' })),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
  await until(() => taken === 0);
  proxy.mend();
  await until(
    async () => (await tokenRequest(site, client, { grant_type: 'client_credentials' })).status === 200,
  );
});

/**
 * Makes a socket like one that has closed without an error and has not reported it yet: it accepts nothing, and emits
 * neither 'drain' nor 'error', for which the driver waits (7.8.0, cmap/connection.js, writeCommand).
 */
function destroyBefore(word: string): () => boolean {
  const { write } = Socket.prototype as { write: (this: Socket, ...args: unknown[]) => boolean };
  let isDone = false;
  const spy = jest.spyOn(Socket.prototype, 'write').mockImplementation(function (
    this: Socket,
    ...args: unknown[]
  ) {
    if (!isDone && Buffer.isBuffer(args[0]) && args[0].includes(word)) {
      isDone = true;
      this.destroy();
      spy.mockRestore();
    }
    return write.apply(this, args);
  });
  return () => isDone;
}

test.each(['find', 'insert'])(
  'a socket that closes just before a %s is 503, and frees its place',
  async (name) => {
    const client = await site.client({ grantTypes: ['client_credentials'] });
    await until(() => taken === 0);
    const isDestroyed = destroyBefore(name === 'find' ? client.clientId : 'accessTokens');
    const answer = await tokenRequest(site, client, { grant_type: 'client_credentials' });
    expect([isDestroyed(), answer.status]).toEqual([true, 503]);
    await until(() => taken === 0);
  },
);

test('connections that are cut again and again give right answers or 503, and stay in the pool', async () => {
  const client = await site.client({ grantTypes: ['client_credentials'] });
  const issue = () => tokenRequest(site, client, { grant_type: 'client_credentials' }).then();
  const { access_token: token } = (await issue()).body as { access_token: string };
  const answers: Response[] = [];
  let isOver = false;
  const keepAsking = async (ask: () => Promise<Response>) => {
    while (!isOver) answers.push(await ask());
  };
  const busy = Array.from({ length: BUSY }, (_each, index) =>
    keepAsking(index % 2 === 0 ? issue : () => callApi(site, token)),
  );
  let cut = 0;
  const stopTelling = reportProgress(() => `${cut} of ${CUTS} cuts, ${answers.length} answers`);
  for (; cut < CUTS; cut += 1) {
    const served = answers.length;
    await until(() => answers.length > served + BUSY);
    proxy.breakAll(cut % 2 === 0 ? 'end' : 'resetAndDestroy');
  }
  isOver = true;
  stopTelling();
  await Promise.all(busy);
  const refused = answers.filter(({ status }) => status !== 200);
  await until(() => taken === 0);
  expect(new Set(refused.map(({ status, headers }) => `${status} ${headers['retry-after']}`))).toEqual(
    new Set(['503 5']),
  );
  expect((await issue()).status).toBe(200);
  if (IS_LONG) console.info(`${CUTS} cuts, ${answers.length} answers, ${refused.length} of them 503`);
});
