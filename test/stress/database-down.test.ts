import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import mongoose from 'mongoose';

import { createStores } from '../../lib/storage/stores.js';
import { connectTo, databaseUri } from '../support/database.js';
import { type MongoProxy, startMongoProxy } from '../support/mongo-proxy.js';
import { type RunningMongo, startMongo } from '../support/mongodb.js';
import { outcomeOf } from '../support/outcomes.js';
import { type RawResponse, sendRaw } from '../support/raw-http.js';
import {
  type Endpoint,
  EVERY_GRANT,
  openEndpoints,
  type RightRequest,
  sendAndFollow,
  toRaw,
} from '../support/right-requests.js';
import { openSite, type Site } from '../support/site.js';
import { callApi, obtainCode, redeem } from '../support/tokens.js';
import { until } from '../support/until.js';
import { withoutDetail } from '../support/without-detail.js';
import { untilServed } from './asking.js';

const OPTIONS = { ...EVERY_GRANT, advanced: { databaseTimeout: 1000 } } as const;

/**
 * A connection with the driver's default patience of 30 s, so that any earlier answer is from the package. It checks
 * its server only every ten minutes, so that check finds no server again during the test.
 */
const openConnection = (uri: string) => connectTo(uri, { heartbeatFrequencyMS: 600_000, retryWrites: false });

interface Prepared {
  readonly endpoint: Endpoint;
  readonly right: RightRequest;
}

/** One valid request to each endpoint, prepared before the failure. */
async function prepare(site: Site): Promise<readonly Prepared[]> {
  const prepared: Prepared[] = [];
  for (const endpoint of await openEndpoints(site)) {
    // a database that others keep busy may be slower than `databaseTimeout` even now
    const right = await endpoint.createMore().catch(() => endpoint.createMore());
    prepared.push({ endpoint, right });
  }
  return prepared;
}

/** sendRaw gives up before the driver would. */
async function expectUnavailable(site: Site, { endpoint: { name }, right }: Prepared): Promise<void> {
  const response = await sendAndFollow(site.server, toRaw(right));
  expect([name, response.status]).toEqual([name, 503]);
  expect(response.headers['retry-after']?.[0]).toMatch(/^\d+$/);
  expect(response.headers['cache-control']).toEqual(['no-store']);
  expect(response.headers).not.toHaveProperty('location');
  expect(response.headers).not.toHaveProperty('www-authenticate');
  expect(withoutDetail(response.body)).not.toMatch(/mongo|ECONN|127\.0\.0\.1:\d+\/|topology|timed out/i);
  if (isForPeople(name)) expectPage(response);
  else
    expect(JSON.parse(response.body)).toEqual({
      error: 'temporarily_unavailable',
      error_description: expect.any(String),
    });
}

const isForPeople = (name: string) => /^(authoriz|the consent form|applications|device)/.test(name);

function expectPage({ headers, body }: RawResponse): void {
  expect(headers['content-type']?.[0]).toMatch(/^text\/html/);
  expect(body).toContain('Please try again in a moment');
}

async function expectServed(site: Site, { endpoint, right }: Prepared): Promise<void> {
  const response = await untilServed(() => sendAndFollow(site.server, toRaw(right)));
  expect([endpoint.name, outcomeOf(endpoint, response)]).toEqual([endpoint.name, endpoint.outcome]);
}

/** Waits until the driver has found its server again; it looks twice a second while somebody waits for it. */
const untilBack = (site: Site) =>
  until(async () => (await callApi(site, `eas_at_${'x'.repeat(65)}`)).status === 401);

describe.each<[string, (proxy: MongoProxy) => void]>([
  ['gone', (proxy) => proxy.cut()],
  ['hanging', (proxy) => proxy.freeze()],
])('a database that is %s', (how, fail) => {
  let proxy: MongoProxy;
  let site: Site;
  let prepared: readonly Prepared[];
  let reached = 0;

  beforeAll(async () => {
    proxy = await startMongoProxy(databaseUri(`down_${randomUUID().slice(0, 8)}`));
    site = await openSite({ ...OPTIONS, database: await openConnection(proxy.uri) });
    site.app.get('/api/counted', site.oauth.guard({ optional: true }), (_req, res) => {
      reached += 1;
      res.json({});
    });
    site.app.use('/api', site.oauth.errorHandler);
    prepared = await prepare(site);
    fail(proxy);
    // commands from the first quarter of a second of silence may be run when it ends, later ones are not
    expect((await callApi(site, `eas_at_${'x'.repeat(65)}`)).status).toBe(503);
  });
  afterAll(async () => {
    proxy.mend();
    await site.database.connection.dropDatabase();
    await site.close();
    await site.database.connection.close();
    await proxy.close();
  });

  test(`each endpoint is 503 with Retry-After while its database is ${how}`, async () => {
    await Promise.all(prepared.map((each) => expectUnavailable(site, each)));
  });

  test(`each endpoint is 503 again at the second request while its database is ${how}`, async () => {
    await Promise.all(prepared.map((each) => expectUnavailable(site, each)));
  });

  test(`a guarded route is not reached while its database is ${how}, even if its token is optional`, async () => {
    expect((await callApi(site, `eas_at_${'x'.repeat(65)}`, '/api/counted')).status).toBe(503);
    expect(reached).toBe(0);
  });

  test(`metadata and other routes answer as usual while the database is ${how}`, async () => {
    expect((await sendRaw(site.server, { target: '/.well-known/oauth-authorization-server' })).status).toBe(
      200,
    );
    expect((await sendRaw(site.server, { target: '/api/counted' })).status).toBe(200);
    expect((await callApi(site, 'abc')).status).toBe(401);
  });

  test(`onError hears each 503 with its cause while the database is ${how}`, () => {
    const reported = site.errors.filter(({ error }) => error === 'temporarily_unavailable');
    expect(new Set(reported.map(({ endpoint }) => endpoint))).toEqual(
      new Set([
        'authorize',
        'token',
        'revoke',
        'introspect',
        'applications',
        'authorizations',
        'device',
        'device_authorization',
        'guard',
      ]),
    );
  });

  test(`the same process serves after its database was ${how}, and nothing is used up`, async () => {
    proxy.mend();
    await untilBack(site);
    for (const each of prepared) await expectServed(site, each);
  });
});

describe('a connection that the host has closed', () => {
  test('a closed connection is 503 without opening another; reopened, it serves again', async () => {
    const uri = databaseUri(`closed_${randomUUID().slice(0, 8)}`);
    const site = await openSite({ ...OPTIONS, database: await openConnection(uri) });
    const { connection } = site.database;
    const client = await site.client();
    const code = await obtainCode(site, client);
    await connection.close();
    expect((await redeem(site, client, code)).status).toBe(503);
    expect(connection.readyState).toBe(mongoose.STATES.disconnected);
    expect((connection.getClient() as unknown as { topology?: unknown }).topology).toBeUndefined();
    await connection.openUri(uri);
    expect((await redeem(site, client, code)).status).toBe(200);
    await connection.dropDatabase();
    await site.close();
    await connection.close();
  });
});

describe('a database that is away for a moment', () => {
  test('a write that failed is not done later, when nobody waits for it any more', async () => {
    const proxy = await startMongoProxy(databaseUri(`moment_${randomUUID().slice(0, 8)}`));
    const site = await openSite({ ...OPTIONS, database: await openConnection(proxy.uri) });
    const { connection } = site.database;
    const { consents } = createStores(connection, { timeout: OPTIONS.advanced.databaseTimeout });
    const broken = new Promise((done) => connection.once('disconnected', done));
    proxy.cut();
    await broken;
    const decided = { requested: ['photos:read'], allowed: ['photos:read'], now: new Date() };
    await expect(consents.remember('ada', 'shop', decided)).rejects.toMatchObject({
      error: 'temporarily_unavailable',
    });
    proxy.mend();
    await untilBack(site);
    for (let read = 0; read < 20; read += 1) expect(await consents.findScopes('ada', 'shop')).toBeNull();
    await consents.remember('ada', 'shop', decided);
    expect(await consents.findScopes('ada', 'shop')).toEqual(['photos:read']);
    await connection.dropDatabase();
    await site.close();
    await connection.close();
    await proxy.close();
  });
});

/** A MongoDB from outside is not ours to kill. */
const describeKilling = process.env.MONGODB_URI === undefined ? describe : describe.skip;

describeKilling('a database that is killed', () => {
  let mongo: RunningMongo;
  let site: Site;
  let prepared: readonly Prepared[];

  beforeAll(async () => {
    mongo = await startMongo();
    const uri = new URL(mongo.uri);
    uri.pathname = '/killed';
    site = await openSite({ ...OPTIONS, database: await openConnection(uri.toString()) });
    prepared = await prepare(site);
  });
  afterAll(async () => {
    await site.close();
    await site.database.connection.close();
    await mongo.stop();
  });

  test('a killed database is 503 everywhere; restarted, nothing promised is lost', async () => {
    await mongo.kill?.();
    await Promise.all(prepared.map((each) => expectUnavailable(site, each)));
    await mongo.start?.();
    await untilBack(site);
    for (const each of prepared) await expectServed(site, each);
  });
});
