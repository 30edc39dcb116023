import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { openDatabase, type TestDatabase } from '../support/database.js';
import { IS_LONG } from '../support/long-run.js';
import { createPerson } from '../support/person.js';
import { openSite, type Site } from '../support/site.js';
import { fixture, siteFor } from '../support/site-for.js';
import { type SiteProcess, startSiteProcess } from '../support/site-process.js';
import { until } from '../support/until.js';
import { type Answer, codeFor, post, withCode, withRefreshToken } from './asking.js';

const OPTIONS = {
  grantTypes: ['authorization_code', 'refresh_token'],
  security: { rateLimits: false },
  lifetimes: { authorizationCode: 600 },
} as const;
const PROCESSES = IS_LONG ? 4 : 2;

const site = siteFor(OPTIONS);
const client = fixture(() => site.client({ trusted: true }));

async function codeAt(url: string, of = client): Promise<string> {
  const person = createPerson({ server: url });
  await person.logIn();
  return (await codeFor(person, of)) ?? '';
}
const redeemAt = (url: string, code: string, of = client) => post(url, of, withCode(code));
const refreshAt = (url: string, token: string, of = client) => post(url, of, withRefreshToken(token));

async function statusOf(url: string, { access_token: token }: Answer['body']): Promise<number> {
  return (await fetch(`${url}/api/me`, { headers: { Authorization: `Bearer ${token}` } })).status;
}

/** A code, its redemption, a refresh: each token works, and a second use of the code ends them all. */
async function expectWholeFlow(url: string, of = client): Promise<void> {
  const code = await codeAt(url, of);
  const first = await redeemAt(url, code, of);
  expect([first.status, await statusOf(url, first.body)]).toEqual([200, 200]);
  const second = await refreshAt(url, first.body.refresh_token, of);
  expect([second.status, await statusOf(url, second.body)]).toEqual([200, 200]);
  expect((await redeemAt(url, code, of)).body.error).toBe('invalid_grant');
  expect(await statusOf(url, second.body)).toBe(401);
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('a process with a wrong clock, beside one with a right clock', () => {
  const good = { code: 200, token: 200 };
  const over = { code: 400, token: 401 };
  const rows = [
    ['five minutes slow', -5 * MINUTE, good],
    ['an hour fast', HOUR + 1, over],
    ['five minutes fast', 5 * MINUTE, good],
    ['forty days fast', 40 * DAY, over],
  ] as const;
  describe.each(IS_LONG ? rows : rows.slice(0, 2))('%s', (how, clock, ofTheOther) => {
    let wrong: SiteProcess;
    beforeAll(async () => {
      wrong = await startSiteProcess({ ...OPTIONS, database: site.database.connection.name, clock });
    });
    afterAll(() => wrong.stop());

    test(`a process ${how} serves a whole flow`, () => expectWholeFlow(wrong.url));

    test(`a process ${how} refuses what is expired by its clock only`, async () => {
      const { body } = await redeemAt(site.url, await codeAt(site.url));
      expect((await redeemAt(wrong.url, await codeAt(site.url))).status).toBe(ofTheOther.code);
      expect(await statusOf(wrong.url, body)).toBe(ofTheOther.token);
      expect(await statusOf(site.url, body)).toBe(200);
    });

    test(`a process ${how} sees uses and revocations of the other, and vice versa`, async () => {
      const code = await codeAt(wrong.url);
      const { body } = await redeemAt(wrong.url, code);
      expect((await redeemAt(site.url, code)).body.error).toBe('invalid_grant');
      for (const url of [site.url, wrong.url]) {
        expect(await statusOf(url, body)).toBe(401);
        expect((await refreshAt(url, body.refresh_token)).body.error).toBe('invalid_grant');
      }
    });
  });
});

/** The names of the indexes of our collections, without the default ones. */
async function indexesIn({ connection }: TestDatabase): Promise<string[]> {
  const names: string[] = [];
  for (const collection of await connection.db!.collections()) {
    if (!collection.collectionName.startsWith('oauth_')) continue;
    for (const { name = '' } of await collection.indexes())
      if (name !== '_id_') names.push(`${collection.collectionName} ${name}`);
  }
  return names.sort();
}

test(`${PROCESSES} processes on an empty database serve at once, and build the indexes`, async () => {
  const empty = await openDatabase(`empty_${randomUUID().slice(0, 8)}`);
  const processes = await Promise.all(
    Array.from({ length: PROCESSES }, () =>
      startSiteProcess({ ...OPTIONS, database: empty.connection.name, unready: true }),
    ),
  );
  const beside = await openSite({ ...OPTIONS, issuer: processes[0]!.url, database: empty, unready: true });
  const its = await beside.client({ trusted: true });
  await Promise.all(processes.map(({ url }) => expectWholeFlow(url, its)));
  await until(async () => (await indexesIn(empty)).join() === (await indexesIn(site.database)).join());
  await beside.close();
  await Promise.all(processes.map((each) => each.stop()));
  await empty.close();
});

describe('a database that was restored without its indexes, as by mongoimport', () => {
  let copy: TestDatabase;
  let restored: Site;
  let before: { readonly [name in 'code' | 'used' | 'alive' | 'revoked']: string };
  let tokens: { readonly [name in 'alive' | 'revoked']: Answer['body'] };

  beforeAll(async () => {
    const used = await codeAt(site.url);
    const revoked = await redeemAt(site.url, used);
    await redeemAt(site.url, used);
    const alive = await redeemAt(site.url, await codeAt(site.url));
    tokens = { alive: alive.body, revoked: revoked.body };
    before = {
      code: await codeAt(site.url),
      used,
      alive: alive.body.refresh_token,
      revoked: revoked.body.refresh_token,
    };
    copy = await openDatabase(`copy_${randomUUID().slice(0, 8)}`);
    for (const collection of await site.database.connection.db!.collections()) {
      const documents = await collection.find().toArray();
      if (documents.length > 0)
        await copy.connection.collection(collection.collectionName).insertMany(documents);
    }
    expect(await indexesIn(copy)).toEqual([]);
    // with the same issuer, for the same clients
    restored = await openSite({ ...OPTIONS, issuer: site.url, database: copy, unready: true });
  });
  afterAll(async () => {
    await restored.close();
    await copy.close();
  });

  test('tokens and codes from before are valid on a restored database', async () => {
    expect((await redeemAt(restored.url, before.code)).status).toBe(200);
    expect(await statusOf(restored.url, tokens.alive)).toBe(200);
    expect((await refreshAt(restored.url, before.alive)).status).toBe(200);
  });

  test('used and revoked tokens from before are refused on a restored database', async () => {
    expect((await redeemAt(restored.url, before.used)).body.error).toBe('invalid_grant');
    expect(await statusOf(restored.url, tokens.revoked)).toBe(401);
    expect((await refreshAt(restored.url, before.revoked)).body.error).toBe('invalid_grant');
  });

  test('the indexes of a restored database are built again', async () => {
    await restored.oauth.ready();
    expect(await indexesIn(copy)).toEqual(await indexesIn(site.database));
  });

  test('a flow works while the indexes of a restored database are dropped', async () => {
    for (const collection of await copy.connection.db!.collections()) await collection.dropIndexes();
    expect(await indexesIn(copy)).toEqual([]);
    await expectWholeFlow(restored.url);
  });
});
