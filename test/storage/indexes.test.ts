import { AsyncLocalStorage } from 'node:async_hooks';

import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import mongoose from 'mongoose';

import { createIndexes } from '../../lib/storage/connection/indexes.js';
import { createStores } from '../../lib/storage/stores.js';
import { recordCommands } from '../support/commands.js';
import { openDatabase, type TestDatabase } from '../support/database.js';
import { describeFailing, whileFailing } from '../support/fail-point.js';
import { until } from '../support/until.js';

let database: TestDatabase;

afterEach(() => void jest.restoreAllMocks());

const indexesOf = async (collection: string) =>
  (
    await database
      .collection(collection)
      .indexes()
      .catch(() => [])
  ).map(({ key }) => Object.keys(key));

test('each index is made by one command, however many servers of the process wait for them', async () => {
  database = await openDatabase();
  const made = await recordCommands(database, async () => {
    const stores = [1, 2].map(() => createStores(database.connection, { timeout: 5000 }));
    await Promise.all(stores.map((each) => each.ready()));
    await stores[0]!.ready();
    await Promise.all(stores.map((each) => each.close()));
  });
  const keys = made
    .filter(({ name }) => name === 'createIndexes')
    .map(({ collection, command }) => `${collection} ${JSON.stringify(command.indexes)}`);
  expect(keys.length).toBeGreaterThan(5);
  expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
  expect(await indexesOf('oauth_grants')).toContainEqual(['expiresAt']);
  await database.close();
});

test('ready() makes the indexes even if the host has switched autoIndex off', async () => {
  database = await openDatabase();
  const connection = await mongoose.createConnection(database.uri, { autoIndex: false }).asPromise();
  const stores = createStores(connection, { timeout: 5000 });
  await Promise.all(Object.values(stores.models).map((model) => model.init()));
  expect(await indexesOf('oauth_grants')).not.toContainEqual(['expiresAt']);
  await stores.ready();
  expect(await indexesOf('oauth_grants')).toContainEqual(['expiresAt']);
  await stores.close();
  await connection.close();
  await database.close();
});

/** A server that another suite has left may still try: ignore its pauses. */
const ofTest = new AsyncLocalStorage<true>();

/** Shortens the pauses between tries, and records their length. */
function shortenPauses(): number[] {
  const pauses: number[] = [];
  const begin = setTimeout;
  jest.spyOn(globalThis, 'setTimeout').mockImplementation((work: () => void, pause = 0) => {
    const isOwn = ofTest.getStore() === true && pause >= 5000 && String(work).includes('tryAgain');
    if (isOwn) pauses.push(pause);
    return begin(work, isOwn ? 5 : pause);
  });
  return pauses;
}

/** The effects of a refusal with this code: reported errors, and pauses before further tries. */
async function refusedBy(errorCode: number, isOver: (pauses: readonly number[]) => boolean) {
  const reported: { code?: number }[] = [];
  const pauses = shortenPauses();
  const failure = { command: 'createIndexes', only: database, failure: { errorCode } } as const;
  return whileFailing(database, failure, async () => {
    const schema = new mongoose.Schema({ value: { type: Number, unique: true } });
    const model = database.connection.model(`Refused${errorCode}`, schema);
    const building = ofTest.run(true, () =>
      createIndexes(database.connection, [model as never], (error) =>
        reported.push(error as { code?: number }),
      ),
    );
    await until(() => reported.length > 0 && isOver(pauses));
    return { reported, pauses, model, close: () => building.close() };
  });
}

describeFailing('createIndexes', () => {
  beforeAll(async () => {
    // some of these codes announce a shutdown: the driver sends nothing before its next heartbeat
    database = await openDatabase(undefined, undefined, { heartbeatFrequencyMS: 500 });
  });
  afterAll(() => database.close());

  test('a refused createIndexes is reported once for each model, and tried until it succeeds', async () => {
    const reported: unknown[] = [];
    const pauses = shortenPauses();
    const failure = { command: 'createIndexes', only: database, failure: { errorCode: 133 } } as const;
    const stores = await whileFailing(database, failure, async () => {
      const onIndexError = (error: unknown) => reported.push(error);
      const failing = ofTest.run(true, () =>
        createStores(database.connection, { timeout: 5000, onIndexError }),
      );
      await until(() => reported.length >= Object.keys(failing.models).length && pauses.length > 0);
      return failing;
    });
    await until(async () => (await indexesOf('oauth_consents')).length > 1);
    expect(reported).toHaveLength(Object.keys(stores.models).length);
    await stores.close();
  });

  test.each([262, 11_601, 50, 6, 89, 276, 46, 117, 16_500, 91, 11_602, 4_444])(
    'createIndexes is tried again after code %d',
    async (code) => {
      const { reported, model, close } = await refusedBy(code, (pauses) => pauses.length > 0);
      await until(async () => (await indexesOf(model.collection.name)).length > 1);
      expect(reported).toHaveLength(1);
      close();
    },
  );

  test.each([13, 67, 72, 85, 86, 115, 323])(
    'createIndexes is not tried again after code %d',
    async (code) => {
      const { reported, pauses, close } = await refusedBy(code, () => true);
      expect(reported.map((error) => error.code)).toEqual([code]);
      expect(pauses).toEqual([]);
      close();
    },
  );

  test('createIndexes is tried after growing pauses', async () => {
    const { pauses, close } = await refusedBy(133, (so) => so.includes(300_000));
    expect([...new Set(pauses)]).toEqual([5000, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000]);
    close();
  });
});
