import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import mongoose from 'mongoose';

import { createStores } from '../../lib/storage/stores.js';
import { recordCommands } from '../support/commands.js';
import { openDatabase, type TestDatabase } from '../support/database.js';
import { testFailing, whileFailing } from '../support/fail-point.js';
import { until } from '../support/until.js';

let database: TestDatabase;

beforeEach(async () => void (database = await openDatabase()));
afterEach(async () => {
  jest.restoreAllMocks();
  await database.close();
});

const indexesOf = async (collection: string) =>
  (
    await database.connection
      .collection(collection)
      .indexes()
      .catch(() => [])
  ).map(({ key }) => Object.keys(key));

test('each index is made by one command, however many servers of the process wait for them', async () => {
  const made = await recordCommands(database, async () => {
    const stores = [1, 2].map(() => createStores(database.connection, { timeout: 5000 }));
    await Promise.all(stores.map(({ ready }) => ready()));
    await stores[0]!.ready();
    await Promise.all(stores.map(({ close }) => close()));
  });
  const keys = made
    .filter(({ name }) => name === 'createIndexes')
    .map(({ collection, command }) => `${collection} ${JSON.stringify(command.indexes)}`);
  expect(keys.length).toBeGreaterThan(5);
  expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
  expect(await indexesOf('oauth_grants')).toContainEqual(['expiresAt']);
});

test('where the host has switched that off, ready() makes them', async () => {
  const connection = await mongoose.createConnection(database.uri, { autoIndex: false }).asPromise();
  const stores = createStores(connection, { timeout: 5000 });
  await Promise.all(Object.values(stores.models).map((model) => model.init()));
  expect(await indexesOf('oauth_grants')).not.toContainEqual(['expiresAt']);
  await stores.ready();
  expect(await indexesOf('oauth_grants')).toContainEqual(['expiresAt']);
  await stores.close();
  await connection.close();
});

/** Makes the pauses between tries short, and tells how long each would be. */
function shortenPauses(): number[] {
  const pauses: number[] = [];
  const begin = setTimeout;
  jest.spyOn(globalThis, 'setTimeout').mockImplementation((work: () => void, pause = 0) => {
    const isOwn = pause >= 5000 && String(work).includes('tryAgain');
    if (isOwn) pauses.push(pause);
    return begin(work, isOwn ? 5 : pause);
  });
  return pauses;
}

/** What a refusal by this code comes to: errors that are told, and pauses until further tries. */
async function refusedBy(errorCode: number, isOver: (pauses: readonly number[]) => boolean) {
  const reported: { code?: number }[] = [];
  const pauses = shortenPauses();
  const stores = await whileFailing(
    database,
    { command: 'createIndexes', only: database, failure: { errorCode } },
    async () => {
      const failing = createStores(database.connection, {
        timeout: 5000,
        onIndexError: (error) => reported.push(error as { code?: number }),
      });
      await until(() => reported.length >= Object.keys(failing.models).length && isOver(pauses));
      return failing;
    },
  );
  return { reported, pauses, stores };
}

testFailing.each([133, 262, 11_601, 50, 6, 89, 276, 46, 117, 16_500, 91, 11_602, 4_444])(
  'a refusal by %d is not final: it is tried again until the index is there',
  async (code) => {
    const { reported, stores } = await refusedBy(code, (pauses) => pauses.length > 0);
    const indexes = () =>
      database.connection
        .collection('oauth_consents')
        .indexes()
        .catch(() => []);
    await until(async () => (await indexes()).some(({ unique }) => unique === true));
    // once for each collection
    expect(reported).toHaveLength(Object.keys(stores.models).length);
    await stores.close();
  },
);

testFailing.each([13, 67, 72, 85, 86, 115, 323])('a refusal by %d is final, and told', async (code) => {
  const { reported, pauses, stores } = await refusedBy(code, () => true);
  expect(new Set(reported.map((error) => error.code))).toEqual(new Set([code]));
  expect(pauses).toEqual([]);
  await stores.close();
});

testFailing('the pauses become longer', async () => {
  const { pauses, stores } = await refusedBy(133, (so) => so.includes(300_000));
  expect([...new Set(pauses)]).toEqual([5000, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000]);
  await stores.close();
});
