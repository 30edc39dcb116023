import { afterEach, describe, expect, test } from '@jest/globals';
import type { CommandStartedEvent } from 'mongodb';

import { createDatabase } from '../../lib/storage/connection/database.js';
import { poolOf } from '../../lib/storage/connection/database.js';
import { testHearing } from '../support/change-streams.js';
import { databaseUri, openDatabase, type TestDatabase } from '../support/database.js';
import { openSite, type Site } from '../support/site.js';
import { callApi, obtainTokens } from '../support/tokens.js';
import { until } from '../support/until.js';

let database: TestDatabase;
let site: Site | undefined;
afterEach(async () => {
  await site?.close();
  await database.close();
  site = undefined;
});

/** A database by a connection with this pool size, and the change streams opened there. */
async function openPool(maxPoolSize: number) {
  const server = new URL(databaseUri('test'));
  server.searchParams.set('maxPoolSize', String(maxPoolSize));
  database = await openDatabase(undefined, server.href);
  const streams: unknown[] = [];
  database.connection.getClient().on('commandStarted', ({ command }: CommandStartedEvent) => {
    const [stage] = (command.pipeline as object[] | undefined) ?? [];
    if (stage !== undefined && '$changeStream' in stage) streams.push(command.aggregate);
  });
  return streams;
}

describe('a change stream, which occupies a connection of the pool', () => {
  test.each([1, 2, 4])('a pool of %d opens no change stream for clients', async (size) => {
    const streams = await openPool(size);
    site = await openSite({ database, security: { rateLimits: false } });
    const { access_token: token } = await obtainTokens(site, await site.client());
    expect((await callApi(site, token)).status).toBe(200);
    expect(streams).toEqual([]);
    expect(poolOf(database.connection).freeConnections).toBe(size);
  });

  testHearing.each([
    [5, ['oauth_clients']],
    [6, ['oauth_clients', 'oauth_signing_keys']],
  ])(
    'a pool of %d opens change streams while four connections remain, and counts them',
    async (size, expected) => {
      const streams = await openPool(size);
      const tokens = { accessTokenFormat: 'jwt' } as const;
      site = await openSite({ database, tokens, security: { rateLimits: false } });
      await obtainTokens(site, await site.client());
      await until(() => streams.length >= expected.length);
      expect(streams).toEqual(expected);
      expect(poolOf(database.connection).freeConnections).toBe(4);
      await site.close();
      expect(poolOf(database.connection).freeConnections).toBe(size);
    },
  );

  test('a change stream counts for all databases of the pool until it is closed', async () => {
    await openPool(3);
    const other = database.connection.useDb('another');
    const releases = [poolOf(database.connection).holdConnection(), poolOf(other).holdConnection()];
    expect([poolOf(other).size, poolOf(other).freeConnections]).toEqual([3, 1]);
    // one command always goes through
    releases.push(poolOf(other).holdConnection(), poolOf(other).holdConnection());
    expect(poolOf(other).freeConnections).toBe(1);
    for (const release of [...releases, ...releases]) release();
    expect(poolOf(database.connection).freeConnections).toBe(3);
  });

  test('a change stream leaves as many commands at once as the pool has other connections', async () => {
    await openPool(5);
    const release = poolOf(database.connection).holdConnection();
    const { execute, close } = createDatabase(database.connection, 10_000);
    const begun: (() => void)[] = [];
    const commands = Array.from({ length: 6 }, () =>
      execute(() => new Promise<void>((done) => begun.push(done))),
    );
    await until(() => begun.length > 0);
    expect(begun).toHaveLength(4);
    release();
    begun[0]?.();
    // the connections of the first command and of the stream
    await until(() => begun.length >= 6);
    for (const done of begun) done();
    await Promise.all(commands);
    close();
  });
});

describe('guard.cache', () => {
  test.each([1, 2])('guard.cache is refused at the start with a pool of %d', async (size) => {
    await openPool(size);
    site = await openSite({
      database,
      guard: { cache: true },
      security: { rateLimits: false },
      unready: true,
    });
    await expect(site.oauth.ready()).rejects.toThrow(
      /guard.cache: the pool.*less than 3.*set maxPoolSize to 3/,
    );
    const { access_token: token } = await obtainTokens(site, await site.client());
    expect((await callApi(site, token)).status).toBe(200);
  });

  testHearing('guard.cache works with a pool of 3', async () => {
    const streams = await openPool(3);
    site = await openSite({ database, guard: { cache: true }, security: { rateLimits: false } });
    const { access_token: token } = await obtainTokens(site, await site.client());
    expect((await callApi(site, token)).status).toBe(200);
    expect(streams).toEqual(['oauth_grants']);
    expect(poolOf(database.connection).freeConnections).toBe(2);
  });
});
