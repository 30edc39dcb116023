import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

import { createUsers } from '../../lib/index.js';
import { isDuplicateKey } from '../../lib/storage/connection/database.js';
import { duplicateField } from '../../lib/storage/connection/database.js';
import { openDatabase, type TestDatabase } from '../support/database.js';
import { openSite } from '../support/site.js';

/** The errors of servers for a duplicate key. */
const MONGODB = {
  code: 11_000,
  message:
    'E11000 duplicate key error collection: photos.oauth_users index: usernameKey_1 dup key: { usernameKey: "ada" }',
};
const OTHERS = [
  {
    code: 11_000,
    message: 'E11000 duplicate key error collection: photos.oauth_users index: email_1 dup key: {}',
  },
  {
    code: 11_000,
    message: 'E11000 duplicate key error index: photos.oauth_users.$email_1 dup key: { : "a" }',
  },
  { code: 1, message: 'duplicate key value violates unique constraint "documents_4_pkey"' },
  { code: 11_000, message: 'Duplicate key violation on the requested collection' },
];

describe('a duplicate key', () => {
  test('a duplicate key error is recognized by its code, or by its text from a driver below', () => {
    for (const error of [MONGODB, ...OTHERS]) expect(isDuplicateKey(error)).toBe(true);
    for (const error of [null, undefined, {}, { code: 1, message: 'no duplicate key value' }])
      expect(isDuplicateKey(error)).toBe(false);
  });

  test('a duplicate key error has its field from keyPattern or from the index name', () => {
    expect(duplicateField({ ...MONGODB, keyPattern: { usernameKey: 1 } })).toBe('usernameKey');
    expect([MONGODB, ...OTHERS].map(duplicateField)).toEqual([
      'usernameKey',
      'email',
      'email',
      undefined,
      undefined,
    ]);
  });
});

describe('a server whose error does not name the duplicate key', () => {
  let database: TestDatabase;
  beforeEach(async () => void (database = await openDatabase()));
  afterEach(() => database.close());

  /** As DocumentDB refuses an insert. */
  function withoutKeyPattern(message: string): void {
    const collection = database.collection('oauth_users');
    const insertOne = collection.insertOne.bind(collection);
    collection.insertOne = async (...given: Parameters<typeof insertOne>) => {
      try {
        return await insertOne(...given);
      } catch (error) {
        throw Object.assign(error as Error, { keyPattern: undefined, message });
      }
    };
  }
  const createWith = (extended: boolean) =>
    createUsers(database.connection, {
      rounds: 4,
      ...(extended && { schema: (schema) => void schema.add({ email: { type: String, unique: true } }) }),
    });

  test('a duplicate user name is reported even if the server does not name the key', async () => {
    withoutKeyPattern('E11000 duplicate key error');
    const users = createWith(false);
    await users.create({ username: 'ada', password: 'correct horse' });
    await expect(users.create({ username: 'ada', password: 'correct horse' })).rejects.toMatchObject({
      field: 'username',
    });
  });

  test.each([
    ['E11000 duplicate key error collection: a.oauth_users index: email_1 dup key: {}', 'email'],
    ['E11000 duplicate key error', ''],
  ])("a duplicate value of a host's field is not reported as the user name: %s", async (message, field) => {
    withoutKeyPattern(message);
    const users = createWith(true);
    const create = (username: string) =>
      users.create({ username, password: 'correct horse', email: 'a@a.example' });
    await create('ada');
    await expect(create('grace')).rejects.toMatchObject({
      field,
      message: 'There is another one with this value already.',
    });
  });
});

test('two counts at once are both stored if the server refuses the second with another code', async () => {
  const site = await openSite({ security: { rateLimits: { token: 9 } } });
  const collection = site.database.collection('oauth_limits');
  const update = collection.findOneAndUpdate.bind(collection);
  let refusals = 0;
  collection.findOneAndUpdate = ((...given: Parameters<typeof update>) => {
    refusals += 1;
    if (refusals % 2 === 1)
      return Promise.reject(
        Object.assign(new Error('duplicate key value violates unique constraint "documents_4_pkey"'), {
          name: 'MongoServerError',
          code: 1,
        }),
      );
    return update(...given);
  }) as typeof update;
  const client = await site.client();
  const guess = async () =>
    (
      await fetch(`${site.url}/oauth/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa(`${client.clientId}:guess`)}` },
        body: new URLSearchParams({ grant_type: 'client_credentials' }),
      })
    ).status;
  for (let attempt = 0; attempt < 5; attempt += 1) expect(await guess()).toBe(401);
  expect(refusals).toBe(8);
  const [stored] = await site.oauth.models.Failures.find().lean();
  expect(stored?.points).toBe(5);
  collection.findOneAndUpdate = update;
  await site.close();
});
