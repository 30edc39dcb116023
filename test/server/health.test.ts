import { afterEach, describe, expect, test } from '@jest/globals';
import request from 'supertest';

import type { Health } from '../../lib/index.js';
import { hasChangeStreams, testHearing } from '../support/change-streams.js';
import { letLimitEnd, letPass } from '../support/clock.js';
import { commandsDuring } from '../support/commands.js';
import { openDatabase } from '../support/database.js';
import { type Failure, testFailing, whileFailing } from '../support/fail-point.js';
import { startMongoProxy } from '../support/mongo-proxy.js';
import { openSite, type Site, type SiteOptions } from '../support/site.js';
import { fixture } from '../support/site-for.js';
import { until } from '../support/until.js';

const PASSING = {
  ready: 'pass',
  databaseRead: 'pass',
  databaseWrite: 'pass',
  signingKeys: 'pass',
  clock: 'pass',
};
const COMMANDS = ['find oauth_issuers', 'find oauth_signing_keys', 'hello 1', 'update oauth_issuers'];

const opened: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const part of opened.splice(0).reverse()) await part.close();
});

/** A site with the readiness route of the documents. */
async function open(options?: SiteOptions): Promise<Site> {
  const site = await openSite(options);
  opened.push(site);
  site.app.get('/health/ready', async (_req, res) => {
    const health = await site.oauth.health();
    res.status(health.status === 'fail' ? 503 : 200).json(health);
  });
  return site;
}

/** The answer of the route, a second after the answer before. */
async function ask(site: Site): Promise<readonly [status: number, health: Health]> {
  letPass(1);
  const { status, body } = await request(site.server).get('/health/ready');
  return [status, body as Health];
}

const reportsOf = (site: Site) => site.errors.filter(({ endpoint }) => endpoint === 'health');

describe('oauth.health()', () => {
  test('oauth.health() passes in a process whose ready() has resolved', async () => {
    const site = await open();
    expect(await ask(site)).toEqual([200, { status: 'pass', checks: PASSING }]);
    expect(site.errors).toEqual([]);
  });

  test('oauth.health() fails until ready() has resolved', async () => {
    const site = await open({ unready: true });
    expect(await ask(site)).toEqual([503, { status: 'fail', checks: { ...PASSING, ready: 'fail' } }]);
    await site.oauth.ready();
    expect(await ask(site)).toEqual([200, { status: 'pass', checks: PASSING }]);
  });

  test('oauth.health() fails in a process whose ready() has rejected', async () => {
    const first = await open({ issuer: 'https://red.example' });
    const { database } = first;
    const second = await open({ issuer: 'https://blue.example', database, unready: true });
    await expect(second.oauth.ready()).rejects.toThrow('belongs to https://red.example');
    expect((await second.oauth.health()).checks.ready).toBe('fail');
    expect((await first.oauth.health()).status).toBe('pass');
  });

  test('oauth.health() of a server without signing keys has no check of them', async () => {
    const site = await open({ signingKeys: undefined });
    const { signingKeys: _none, ...others } = PASSING;
    expect(await ask(site)).toEqual([200, { status: 'pass', checks: others }]);
  });

  test('oauth.health() fails for keys that the secret does not decrypt, and onError hears it', async () => {
    const first = await open();
    await first.oauth.keys.rotate();
    const reported: unknown[] = [];
    const second = await open({
      onError: ({ detail, cause }, { endpoint }) =>
        reported.push([endpoint, detail, (cause as Error).message]),
      issuer: first.url,
      database: first.database,
      unready: true,
      signingKeys: { encryptionSecret: 'another secret of the test, 32 characters' },
    });
    const checks = { ...PASSING, ready: 'fail', signingKeys: 'fail' };
    expect(await ask(second)).toEqual([503, { status: 'fail', checks }]);
    expect(reported).toEqual([
      [
        'health',
        'health: the check signingKeys fails',
        expect.stringMatching(/^signingKeys\.encryptionSecret: /),
      ],
    ]);
  });

  test('oauth.health() warns of a clock difference above half of clockTolerance', async () => {
    const causes: unknown[] = [];
    const options: SiteOptions = { onError: ({ detail, cause }) => causes.push([detail, String(cause)]) };
    const [strict, tolerant] = [await open(options), await open({ security: { clockTolerance: 60 } })];
    letPass(20);
    const off = [200, { status: 'warn', checks: { ...PASSING, clock: 'warn' } }];
    expect([await ask(strict), await ask(strict)]).toEqual([off, off]);
    expect(causes).toEqual([
      [
        'health: the check clock fails',
        expect.stringMatching(/^Error: the clock of MongoDB is 2\d seconds behind this machine's: /),
      ],
    ]);
    expect((await ask(tolerant))[1].status).toBe('pass');
    letPass(10);
    expect((await ask(tolerant))[1].status).toBe('warn');
  });

  test('concurrent calls of oauth.health(), and those of the next second, share four commands', async () => {
    const site = await open();
    const health = () => site.oauth.health();
    letPass(1);
    const results: Health[] = [];
    const commands = await commandsDuring(site.database, async () => {
      results.push(...(await Promise.all(Array.from({ length: 100 }, () => health()))));
      results.push(await health());
    });
    expect(commands.sort()).toEqual(COMMANDS);
    expect(new Set(results.map(({ status }) => status))).toEqual(new Set(['pass']));
    letPass(1);
    expect((await commandsDuring(site.database, health)).sort()).toEqual(COMMANDS);
    expect(await site.database.collection('oauth_issuers').countDocuments()).toBe(0);
  });

  test('oauth.health() fails while the connection of the site is closed', async () => {
    const site = await open();
    const { connection, uri } = site.database;
    await connection.close();
    expect((await ask(site))[1]).toMatchObject({ checks: { databaseRead: 'fail', databaseWrite: 'fail' } });
    await connection.openUri(uri);
    expect((await ask(site))[0]).toBe(200);
  });
});

describe('oauth.health() with a database that fails', () => {
  let site: Site;
  const database = fixture(() => openDatabase());

  const proxy = fixture(() => startMongoProxy(database.uri));
  afterEach(() => proxy.mend());

  const openBehindProxy = async () => {
    const behindProxy = await openDatabase(database.connection.name, proxy.uri);
    opened.push({ close: () => behindProxy.connection.close() });
    return open({ database: behindProxy, advanced: { databaseTimeout: 1000 } });
  };
  const isPassing = async () => (await ask(site))[0] === 200;

  test.each(['cut', 'freeze'] as const)(
    'oauth.health() after a %s of the database fails without details, and recovers',
    async (how) => {
      site = await openBehindProxy();
      await until(isPassing);
      site.errors.splice(0);
      proxy[how]();
      const failing = {
        ready: 'pass',
        databaseRead: 'fail',
        databaseWrite: 'fail',
        signingKeys: 'fail',
        clock: 'warn',
      };
      expect(await ask(site)).toEqual([503, { status: 'fail', checks: failing }]);
      expect(await ask(site)).toEqual([503, { status: 'fail', checks: failing }]);
      const checks = ['clock', 'databaseRead', 'databaseWrite', 'signingKeys'];
      // each once, however often the route was called
      expect(
        reportsOf(site)
          .map(({ detail = '' }) => /check (\w+)/.exec(detail)?.[1])
          .sort(),
      ).toEqual(checks);
      proxy.mend();
      await until(isPassing);
      proxy[how]();
      await until(async () => !(await isPassing()));
      expect(reportsOf(site).length).toBeGreaterThan(checks.length);
    },
  );

  const refused: Failure = { errorCode: 13 };
  const unconfirmed: Failure = {
    writeConcernError: { code: 64, errmsg: 'waiting for replication timed out' },
  };
  testFailing.each<[string, 'find' | 'update', Failure, Partial<Record<string, string>>]>([
    ['reads are refused', 'find', refused, { databaseRead: 'fail', signingKeys: 'fail' }],
    ['writes are refused', 'update', refused, { databaseWrite: 'fail' }],
    ['writes reach no majority', 'update', unconfirmed, { databaseWrite: 'fail' }],
  ])('oauth.health() fails only in the affected checks if %s', async (_what, command, failure, failed) => {
    site = await open();
    await whileFailing(site.database, { command, failure }, async () => {
      expect(await ask(site)).toEqual([503, { status: 'fail', checks: { ...PASSING, ...failed } }]);
    });
    await until(isPassing);
  });
});

describe('oauth.health() with guard.cache', () => {
  const HEARING = { ...PASSING, guardCache: 'pass' };

  testHearing('oauth.health() passes for an unused change stream without waking it up', async () => {
    // the pause between two markers, which are written for ten seconds after the last request that relied on them
    const endPause = letLimitEnd(250, 'by hand');
    const site = await open({ guard: { cache: true } });
    letPass(11);
    await until(() => endPause() > 0);
    const commands = await commandsDuring(site.database, async () => {
      for (let count = 0; count < 2; count += 1)
        expect(await ask(site)).toEqual([200, { status: 'pass', checks: HEARING }]);
    });
    expect(commands.sort()).toEqual([...COMMANDS, ...COMMANDS].sort());
  });

  (hasChangeStreams ? testFailing : test.skip)(
    'a stream that breaks is a warning, not a failure',
    async () => {
      const site = await open({ guard: { cache: true } });
      await whileFailing(site.database, { command: 'getMore', failure: { errorCode: 13 } }, async () => {
        await until(async () => (await ask(site))[1].checks.guardCache === 'warn');
        expect(await ask(site)).toMatchObject([200, { status: 'warn', checks: { ready: 'pass' } }]);
      });
      await until(async () => (await ask(site))[1].checks.guardCache === 'pass');
    },
  );
});
