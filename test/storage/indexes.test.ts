import { afterEach, beforeEach, expect, test } from '@jest/globals';
import mongoose from 'mongoose';

import { createStores } from '../../lib/storage/stores.js';
import { recordCommands } from '../support/commands.js';
import { openDatabase, type TestDatabase } from '../support/database.js';

let database: TestDatabase;

beforeEach(async () => void (database = await openDatabase()));
afterEach(() => database.close());

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
