import type { AsyncLocalStorage } from 'node:async_hooks';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Mongoose, type Query, type Schema } from 'mongoose';

import { createUsers, UserError } from '../../lib/index.js';
import { doEverything } from '../scale/everything.js';
import { openFullSite } from '../scale/full-site.js';
import { databaseUri } from '../support/database.js';
import { REDIRECT_URI, type Site } from '../support/site.js';

/**
 * A host with another Mongoose, as strict as possible, whose debug function and plugin see each operation, with
 * global plugins for tenants and for soft deletion.
 */
const QUERIES = [
  ...['find', 'findOne', 'findOneAndUpdate', 'updateOne', 'updateMany', 'deleteOne', 'deleteMany'],
  'countDocuments',
];
const OPERATIONS = [...QUERIES, 'aggregate', 'insertMany', 'save'];
/** Operations outside requests: the building of indexes, and a change stream in the background. */
const BESIDE = /^(create|createIndex|createIndexes|createCollection|listIndexes|getMore|killCursors|watch)$/;

const mongoose = new Mongoose();
const hooked: string[] = [];
const debugged: string[] = [];
const commands: string[] = [];
const inserted: { readonly collection: string; readonly document: object }[] = [];
let withoutModel = 0;
let site: Site;

/** As plugins for tenants do: a field with a default, and each query filters by it. */
function tenants(schema: Schema): void {
  schema.add({ tenant: { type: String, default: 'blue' } });
  for (const operation of QUERIES)
    schema.pre(operation as 'find', function (this: Query<unknown, unknown>) {
      this.where({ tenant: 'blue' });
    });
}

/** As plugins for soft deletion do, which filter by a boolean. */
function softDeletion(schema: Schema): void {
  schema.add({ deleted: { type: Boolean, default: false } });
  for (const operation of QUERIES)
    schema.pre(operation as 'find', function (this: Query<unknown, unknown>) {
      this.where({ deleted: false });
    });
}

beforeAll(async () => {
  for (const option of ['strict', 'strictQuery'] as const) mongoose.set(option, 'throw');
  mongoose.set('sanitizeFilter', true);
  mongoose.set('transactionAsyncLocalStorage', true);
  mongoose.set('sanitizeProjection', true);
  mongoose.set('runValidators', true);
  mongoose.set('debug', (collection: string, method: string, filter: object, options?: object) => {
    if (!collection.startsWith('oauth_') || BESIDE.test(method)) return;
    debugged.push(collection);
    // doctor and this test read collections without models; models count by more than a time
    const isOfDoctor =
      method === 'countDocuments' && ['expiresAt', 'expire'].includes(Object.keys(filter).join());
    // people.export searches by itself if the site has no model of createUsers on the connection
    const isOfExport = collection === 'oauth_users' && Object.keys(options ?? {}).join() === 'projection';
    if (isOfDoctor || isOfExport || options === undefined) withoutModel += 1;
  });
  mongoose.plugin((schema) => {
    for (const operation of OPERATIONS)
      schema.pre(operation as 'save', function (this: object) {
        // a plugin is in the schemas of subdocuments, too
        if (!('$isSubdocument' in this && this.$isSubdocument === true)) hooked.push(operation);
      });
  });
  for (const plugin of [tenants, softDeletion]) mongoose.plugin(plugin as (schema: Schema) => void);
  const uri = databaseUri(`host_${process.pid}`);
  const connection = await mongoose.createConnection(uri, { monitorCommands: true }).asPromise();
  site = await openFullSite({
    database: { connection, uri, close: () => Promise.resolve() },
  });
  connection.getClient().on('commandStarted', ({ commandName, command }) => {
    const collection = String(command[commandName]);
    const isOfChangeStream = '$changeStream' in ((command.pipeline as object[] | undefined)?.[0] ?? {});
    if (collection.startsWith('oauth_') && !BESIDE.test(commandName) && !isOfChangeStream)
      commands.push(collection);
    const documents = (command.documents ?? []) as object[];
    inserted.push(...documents.map((document) => ({ collection, document })));
  });
  for (const seen of [hooked, debugged, commands]) seen.length = 0;
  withoutModel = 0;
  await doEverything(site);
  await site.oauth.close();
});
afterAll(async () => {
  await site.database.connection.dropDatabase();
  await site.close();
  await site.database.connection.close();
});

const counted = (names: readonly string[]) =>
  Object.fromEntries(
    [...new Set(names)].sort().map((name) => [name, names.filter((other) => other === name).length]),
  );

describe('all functions of a site, its users and its code', () => {
  test('all models belong to the Mongoose of the connection', () => {
    expect(Object.keys(site.database.connection.models).sort()).toEqual([
      'AuthorizationServerAssertionId',
      'AuthorizationServerAudit',
      'AuthorizationServerClient',
      'AuthorizationServerClientLogo',
      'AuthorizationServerConsent',
      'AuthorizationServerFailures',
      'AuthorizationServerGrant',
      'AuthorizationServerInitialAccessToken',
      'AuthorizationServerIssuer',
      'AuthorizationServerMigrated',
      'AuthorizationServerPushedRequest',
      'AuthorizationServerReceivedEvent',
      'AuthorizationServerRefusals',
      'AuthorizationServerSignIn',
      'AuthorizationServerSignalStream',
      'AuthorizationServerSigningKey',
      'AuthorizationServerStreamSubject',
      'AuthorizationServerUsedProof',
      'AuthorizationServerUser',
      'AuthorizationServerUserCode',
      'AuthorizationServerWebhook',
    ]);
    for (const model of Object.values(site.database.connection.models)) expect(model.base).toBe(mongoose);
  });

  test("the debug function of the host's Mongoose sees every command", () => {
    expect(commands.length).toBeGreaterThan(200);
    expect(counted(debugged)).toEqual(counted(commands));
  });

  test("a plugin of the host's Mongoose sees every command", () => {
    expect(hooked).toHaveLength(commands.length - withoutModel);
    expect([...new Set(hooked)].sort()).toEqual([...OPERATIONS].sort());
  });

  test("strict settings of the host's Mongoose cause no errors", () => {
    expect(site.errors.filter(({ error }) => error === 'server_error')).toEqual([]);
  });

  test("every document has the fields of the host's plugins", async () => {
    const { connection } = site.database;
    const fields = { tenant: 'blue', deleted: false };
    const seen: string[] = [];
    for (const model of Object.values(connection.models)) {
      const collection = connection.collection(model.collection.name);
      if ((await collection.countDocuments({})) > 0) seen.push(model.modelName);
      const without = await collection.countDocuments({ $nor: [fields] });
      expect([model.modelName, without]).toEqual([model.modelName, 0]);
    }
    // of the documents left at the end
    expect(seen).toEqual(
      expect.arrayContaining(
        ['Audit', 'Client', 'Grant', 'SigningKey', 'UserCode', 'Migrated', 'Failures', 'Refusals'].map(
          (model) => `AuthorizationServer${model}`,
        ),
      ),
    );
    // of those that may have expired by then
    for (const name of ['oauth_used_proofs', 'oauth_assertion_ids']) {
      const own = inserted.filter(({ collection }) => collection === name);
      expect(own).not.toEqual([]);
      for (const { document } of own) expect(document).toMatchObject(fields);
    }
  });

  test("audit.find finds entries with the host's plugins", async () => {
    expect(await site.oauth.audit.find()).not.toEqual([]);
  });

  test('an open transaction of the host does not include the audit', async () => {
    const { oauth, database } = site;
    const session = await database.connection.startSession();
    await session.endSession();
    const { transactionAsyncLocalStorage: storage } = mongoose as unknown as {
      transactionAsyncLocalStorage: AsyncLocalStorage<{ session: typeof session }>;
    };
    // an operation in this session would be refused
    await storage.run({ session }, async () => {
      await expect(oauth.models.Client.findById('x')).rejects.toThrow(/session/);
      const { clientId } = await oauth.clients.create({ name: 'Shop', redirectUris: [REDIRECT_URI] });
      await oauth.clients.update(clientId, { name: 'Renamed' });
      await oauth.clients.listOfOwner('nobody');
      await oauth.grants.revoke({ clientId });
      await oauth.audit.find();
      expect(await oauth.clients.delete(clientId)).toBe(true);
    });
  });
});

test('a plugin with its own uniqueness check reports a duplicate user name', async () => {
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
