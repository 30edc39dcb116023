import { afterAll, afterEach, beforeEach, expect, jest } from '@jest/globals';

import type { ClientWithSecret } from '../../lib/index.js';
import { MAX_SILENCE } from '../../lib/storage/grants/change-stream.js';
// a stand-alone server has no change streams
import { describeHearing as describe, testHearing as test } from '../support/change-streams.js';
import { letLimitEnd, letPass } from '../support/clock.js';
import { commandsDuring } from '../support/commands.js';
import { openDatabase, type TestDatabase } from '../support/database.js';
import { testFailing, whileFailing } from '../support/fail-point.js';
import { startMongoProxy } from '../support/mongo-proxy.js';
import { openSite, type Site } from '../support/site.js';
import { fixture, siteFor } from '../support/site-for.js';
import { basic, callApi, obtainTokens, tokenRequest } from '../support/tokens.js';
import { until } from '../support/until.js';

let client: ClientWithSecret;
let token: string;
let refreshToken: string;

/** Two processes of one site: separate servers with separate caches, on one database. */
const options = { guard: { cache: true }, security: { rateLimits: false } };
const here = siteFor(options);
const proxy = fixture(() => startMongoProxy(here.database.uri));
const behindProxy = fixture(() => openDatabase(here.database.connection.name, proxy.uri));
const there = siteFor(() => ({
  ...options,
  issuer: here.url,
  database: behindProxy,
  advanced: { databaseTimeout: 1000 },
}));
afterEach(() => proxy.mend());
afterAll(async () => {
  await behindProxy.connection.close();
});
beforeEach(async () => {
  client = await here.client();
  ({ access_token: token, refresh_token: refreshToken } = await obtainTokens(here, client));
});

const status = async (site: Site, presented = token) => (await callApi(site, presented)).status;
const readsAt = ({ database }: Site, work: () => PromiseLike<unknown>) =>
  commandsDuring(database, work).then((commands) =>
    commands.filter((command) => command === 'find oauth_grants'),
  );
const revokeAt = ({ url }: Site, presented: string) =>
  fetch(`${url}/oauth/revoke`, {
    method: 'POST',
    headers: { authorization: basic(client.clientId, client.clientSecret ?? '') },
    body: new URLSearchParams({ token: presented }),
  });
/** Waits for the change of the token's issue, which arrives a moment later. */
const cached = (site: Site, presented = token) =>
  until(async () => (await readsAt(site, () => callApi(site, presented))).length === 0);

describe('a cached grant', () => {
  test('a cached grant costs further calls no command', async () => {
    // calls cost reads if the machine was busy for a second
    await until(async () => {
      const commands = await commandsDuring(here.database, async () => {
        for (let call = 0; call < 5; call += 1) expect(await status(here)).toBe(200);
      });
      return commands.length === 0;
    });
  });

  test('a cached grant does not let in other, forged or expired tokens', async () => {
    await cached(here);
    const [head = ''] = /^.*(?=.{22}$)/.exec(token) ?? [];
    expect(await status(here, `${head}${'A'.repeat(22)}`)).toBe(401);
    letPass(86_400);
    expect(await status(here)).toBe(401);
  });

  test('a cached grant is read again after an hour', async () => {
    await cached(there);
    letPass(3601);
    expect(await readsAt(there, () => callApi(there, token))).toHaveLength(1);
  });
});

describe('a change by one process', () => {
  const changes: [string, () => Promise<unknown>][] = [
    [
      'a user disconnects the client',
      () => here.oauth.grants.revoke({ userId: 'ada', clientId: client.clientId }),
    ],
    ['all grants of a user end', () => here.oauth.grants.revoke({ userId: 'ada' })],
    ['all grants of a client end', () => here.oauth.grants.revoke({ clientId: client.clientId })],
    ['the client is blocked', () => here.oauth.clients.block(client.clientId)],
    ['the client is deleted', () => here.oauth.clients.delete(client.clientId)],
    ['the client revokes its token', () => revokeAt(here, token)],
    [
      'the refresh token is used twice',
      async () => {
        const refresh = () =>
          tokenRequest(here, client, { grant_type: 'refresh_token', refresh_token: refreshToken });
        await refresh().expect(200);
        await refresh().expect(400);
      },
    ],
    ['the grant is deleted by hand', () => here.oauth.models.Grant.deleteMany({ clientId: client.clientId })],
  ];

  test.each(changes)('a cached grant ends here at once, elsewhere in a second: %s', async (name, change) => {
    await Promise.all([cached(here), cached(there)]);
    await change();
    // changes that bypass the server are reported like those of other processes
    if (!name.endsWith('by hand')) expect(await status(here)).toBe(401);
    // without a report it would take an hour
    await until(async () => (await status(there)) === 401);
  });

  test('a process applies its change to its cache before the change stream reports it', async () => {
    await cached(there);
    // for a second it relies on its latest answer
    await proxy.holdAnswerTo('getMore', 'oauth_grants');
    await revokeAt(there, token);
    expect(await status(there)).toBe(401);
  });

  test('the guard accepts a token of another process before the change stream reports it', async () => {
    await cached(there);
    // the refresh is not reported yet
    await proxy.holdAnswerTo('getMore', 'oauth_grants');
    const refreshed = await tokenRequest(here, client, {
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
    }).expect(200);
    const { access_token: another } = refreshed.body as { access_token: string };
    expect(await status(there, another)).toBe(200);
  });

  test('an unblocked client is let in again by cached guards', async () => {
    await cached(there);
    await here.oauth.clients.block(client.clientId);
    await until(async () => (await status(there)) === 401);
    await here.oauth.clients.unblock(client.clientId);
    await until(async () => (await status(there)) === 200);
    expect(await status(here)).toBe(200);
  });
});

describe('a cache without reports', () => {
  test('a guard with a cache answers 503 while it cannot reach the database', async () => {
    await cached(there);
    proxy.cut();
    await until(async () => (await status(there)) === 503);
    proxy.mend();
    await until(async () => (await status(there)) === 200);
    await cached(there);
  });

  test('a guard with a cache answers 503 a second after its database hangs', async () => {
    await cached(there);
    proxy.freeze();
    await until(async () => (await status(there)) === 503);
    proxy.mend();
    await until(async () => (await status(there)) === 200);
  });

  test('a guard with a cache refuses a grant revoked during a broken connection', async () => {
    await cached(there);
    proxy.cut();
    await until(async () => (await status(there)) === 503);
    await here.oauth.grants.revoke({ clientId: client.clientId });
    proxy.mend();
    let answer = 503;
    await until(async () => (answer = await status(there)) !== 503);
    expect(answer).toBe(401);
  });

  testFailing('a guard reads each call while its change stream cannot be reopened', async () => {
    await cached(there);
    const before = there.errors.length;
    // 280: the change stream cannot resume
    const failure = { errorCode: 280 } as const;
    const lost = await obtainTokens(here, client);
    await cached(there, lost.access_token);
    await whileFailing(behindProxy, { command: 'getMore', only: behindProxy, failure }, async () => {
      await until(() => there.errors.length > before);
      await revokeAt(here, lost.refresh_token);
      for (let call = 0; call < 3; call += 1)
        expect(await readsAt(there, () => callApi(there, token))).toHaveLength(1);
    });
    expect(there.errors.slice(before)).toHaveLength(1);
    expect(there.errors.at(-1)).toMatchObject({
      endpoint: 'ready',
      detail: expect.stringContaining('guard.cache'),
    });
    await cached(there);
    // nothing has reported the changes since
    expect(await status(there, lost.access_token)).toBe(401);
  });
});

describe('a change stream that reports nothing while it is behind', () => {
  test('a change stream that is behind lets in no token revoked more than a second ago', async () => {
    const database = await openDatabase(here.database.connection.name);
    const stall = stallStreamsOf(database);
    const site = await openSite({ ...options, issuer: here.url, database });
    try {
      await cached(site);
      stall.begin();
      await revokeAt(here, token);
      const now = performance.now.bind(performance);
      jest.spyOn(performance, 'now').mockImplementation(() => now() + MAX_SILENCE + 1);
      // the next answer says again that nothing changed
      const answers = stall.answers();
      await until(() => stall.answers() > answers + 1);
      expect(await status(site)).toBe(401);
      for (let call = 0; call < 3; call += 1)
        expect(await readsAt(site, () => callApi(site, token))).toHaveLength(1);
      stall.end();
      const { access_token: another } = await obtainTokens(here, client);
      await cached(site, another);
      expect(await status(site)).toBe(401);
    } finally {
      jest.restoreAllMocks();
      await site.close();
      await database.connection.close();
    }
  });

  test('a change stream that is behind does not delay ready()', async () => {
    const database = await openDatabase(here.database.connection.name);
    stallStreamsOf(database).begin();
    const site = await openSite({ ...options, issuer: here.url, database });
    expect(await status(site)).toBe(200);
    expect(await readsAt(site, () => callApi(site, token))).toHaveLength(1);
    await site.close();
    await database.connection.close();
  });
});

describe('the marker of a process', () => {
  const MARKER = { _id: /^marker / } as object;
  const countMarkers = () => here.oauth.models.Grant.collection.countDocuments(MARKER);

  test('the marker of a process is one document, not written while no request comes, and deleted when the process ends', async () => {
    // the pause between two markers
    const endPause = letLimitEnd(250, 'by hand');
    const before = await countMarkers();
    const database = await openDatabase(here.database.connection.name);
    const site = await openSite({ ...options, issuer: here.url, database });
    const isCached = async () => {
      endPause();
      return (await readsAt(site, () => callApi(site, token))).length === 0;
    };
    // the first marker has returned
    await until(isCached);
    letPass(11);
    await until(() => endPause() > 0);
    const countFive = async () => {
      for (let round = 0; round < 5; round += 1) {
        endPause();
        await site.oauth.models.Grant.collection.countDocuments();
      }
    };
    expect(await commandsDuring(database, countFive)).toEqual(Array(5).fill('aggregate oauth_grants'));
    // a call wakes the marker
    await until(isCached);
    expect(await countMarkers()).toBe(before + 1);
    await site.close();
    expect(await countMarkers()).toBe(before);
    await database.connection.close();
  });
});

describe('a read during a change of its grant', () => {
  test('a read during a change of its grant is not cached', async () => {
    await cached(there);
    const { access_token: other } = await obtainTokens(here, client);
    const another = await here.client();
    const { access_token: later } = await obtainTokens(here, another);
    await cached(there, later);
    // `databaseTimeout` of the waiting read
    letLimitEnd(1000, 'by hand');
    const granted = proxy.holdAnswerTo('find', 'oauth_grants');
    const reading = status(there, other);
    await granted;
    await here.oauth.grants.revoke({ clientId: client.clientId });
    await here.oauth.grants.revoke({ clientId: another.clientId });
    // changes come in order: all earlier changes have arrived before this one
    await until(async () => (await status(there, later)) === 401);
    proxy.mend();
    // in the state of the read
    expect(await reading).toBe(200);
    // a busy machine hears of the change a moment later; a cached grant would be let in for a minute
    await until(async () => (await status(there, other)) === 401);
  });
});

describe('a MongoDB without change streams', () => {
  test.each([
    [
      'a standalone server',
      { setName: undefined },
      /guard.cache: a standalone MongoDB does not tell of changes.*replica set/,
    ],
    ['a sharded cluster', { msg: 'isdbgrid' }, /guard.cache: a sharded cluster tells of a change only when/],
  ])('%s: ready() rejects with the reason, and each call is read', async (_name, hello, message) => {
    const database = await openDatabase();
    sayingHello(database, hello);
    const site = await openSite({ ...options, database, unready: true });
    try {
      await expect(site.oauth.ready()).rejects.toThrow(message);
      expect(site.errors.map(({ detail }) => detail)).toEqual([expect.stringMatching(message)]);
      const { access_token } = await obtainTokens(site, await site.client());
      for (let call = 0; call < 3; call += 1)
        expect(
          await readsAt(site, async () => expect(await status(site, access_token)).toBe(200)),
        ).toHaveLength(1);
    } finally {
      await site.close();
      await database.close();
    }
  });
});

test.each([
  [{ maxAge: 5 }, /guard.cache/],
  ['yes', /guard.cache/],
])('guard.cache: %j is refused', async (cache, message) => {
  await expect(openSite({ guard: { cache: cache as never } })).rejects.toThrow(message);
});

/** As if the server were behind with its streams: each answer says that nothing changed. */
function stallStreamsOf({ connection }: TestDatabase) {
  const collection = connection.collection('oauth_grants');
  const watch = collection.watch.bind(collection);
  const granted: object[] = [];
  let isStalled = false;
  let answers = 0;
  collection.watch = ((...given: Parameters<typeof watch>) => {
    const stream = watch(...given);
    const tryNext = stream.tryNext.bind(stream);
    stream.tryNext = async () => {
      const change = await tryNext();
      answers += 1;
      if (change !== null) granted.push(change);
      return isStalled ? null : ((granted.shift() ?? null) as typeof change);
    };
    return stream;
  }) as typeof collection.watch;
  return {
    begin: () => void (isStalled = true),
    end: () => void (isStalled = false),
    answers: () => answers,
  };
}

/** The answer to `hello` of another deployment, which the tests do not have. */
function sayingHello({ connection }: TestDatabase, changes: object): void {
  const client = connection.getClient();
  const databaseOf = client.db.bind(client);
  client.db = (name, options) => {
    const database = databaseOf(name, options);
    if (name !== 'admin') return database;
    const send = database.command.bind(database);
    database.command = async (command, ...rest) => ({
      ...(await send(command, ...rest)),
      ...('hello' in command && changes),
    });
    return database;
  };
}
