import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Mongoose, type Query, type Schema } from 'mongoose';

import { createUsers, UserError } from '../../lib/index.js';
import { doEverything } from '../scale/everything.js';
import { openFullSite } from '../scale/full-site.js';
import { databaseUri } from '../support/database.js';
import type { Site } from '../support/site.js';

const QUERIES = [
  ...['find', 'findOne', 'findOneAndUpdate', 'updateOne', 'updateMany', 'deleteOne', 'deleteMany'],
  'countDocuments',
];

/** As plugins for tenants do it: a field with a default, and each query asks for it. */
function tenants(schema: Schema): void {
  schema.add({ tenant: { type: String, default: 'blue' } });
  for (const operation of QUERIES)
    schema.pre(operation as 'find', function (this: Query<unknown, unknown>) {
      this.where({ tenant: 'blue' });
    });
}

/** As plugins for soft deletion do it, which look for what is not deleted by the value. */
function softDeletion(schema: Schema): void {
  schema.add({ deleted: { type: Boolean, default: false } });
  for (const operation of QUERIES)
    schema.pre(operation as 'find', function (this: Query<unknown, unknown>) {
      this.where({ deleted: false });
    });
}

describe('global plugins for tenants and for soft deletion', () => {
  const fields = { tenant: 'blue', deleted: false };
  let site: Site;
  beforeAll(async () => {
    const mongoose = new Mongoose();
    for (const plugin of [tenants, softDeletion]) mongoose.plugin(plugin as (schema: Schema) => void);
    const uri = databaseUri(`plugins_${process.pid}`);
    const connection = await mongoose.createConnection(uri, { monitorCommands: true }).asPromise();
    site = await openFullSite({ database: { connection, uri, close: () => Promise.resolve() } });
    await doEverything(site);
  }, 60_000);
  afterAll(async () => {
    await site.close();
    const { connection } = site.database;
    await connection.dropDatabase();
    await connection.close();
  });

  test('their fields are in every document of ours', async () => {
    const { connection } = site.database;
    const seen: string[] = [];
    for (const model of Object.values(connection.models)) {
      const collection = connection.collection(model.collection.name);
      if ((await collection.countDocuments({})) > 0) seen.push(model.modelName);
      const without = await collection.countDocuments({ $nor: [fields] });
      expect([model.modelName, without]).toEqual([model.modelName, 0]);
    }
    // of what is left at the end
    expect(seen).toEqual(
      expect.arrayContaining(
        ['Audit', 'Client', 'Grant', 'SigningKey', 'UserCode', 'UsedProof', 'Migrated', 'AssertionId']
          .concat(['Failures', 'Refusals'])
          .map((model) => `AuthorizationServer${model}`),
      ),
    );
  });

  test('the audit is found', async () => {
    expect(await site.oauth.audit.find()).not.toEqual([]);
  });

  test('nothing failed', () => {
    expect(site.errors.filter(({ error }) => error === 'server_error')).toEqual([]);
  });
});

test('a plugin that looks for unique values itself: the user name is what is taken', async () => {
  const mongoose = new Mongoose();
  mongoose.plugin((schema: Schema) => {
    const path = schema.path('usernameKey') as { validate?: (validator: object) => void } | undefined;
    path?.validate?.({
      validator: async function (
        this: { constructor: { exists(filter: object): Promise<unknown> } },
        value: string,
      ) {
        return (await this.constructor.exists({ usernameKey: value })) === null;
      },
      message: 'Error, expected `{PATH}` to be unique. Value: `{VALUE}`',
    });
  });
  const connection = await mongoose.createConnection(databaseUri(`unique_${process.pid}`)).asPromise();
  const users = createUsers(connection, { rounds: 4 });
  await users.create({ username: 'ada', password: 'correct horse' });
  const again = users.create({ username: 'Ada', password: 'correct horse' });
  await expect(again).rejects.toThrow(UserError);
  await expect(again).rejects.toMatchObject({
    field: 'username',
    message: 'This user name is taken already.',
  });
  await connection.dropDatabase();
  await connection.close();
});
