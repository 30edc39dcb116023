import type { AsyncLocalStorage } from 'node:async_hooks';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Mongoose } from 'mongoose';

import { doEverything } from '../scale/everything.js';
import { openFullSite } from '../scale/full-site.js';
import { databaseUri } from '../support/database.js';
import { REDIRECT_URI, type Site } from '../support/site.js';

/** A host with a Mongoose of its own, as strict as it can be, whose debug function and plugin see what is done. */
const OPERATIONS = [
  'find',
  'findOne',
  'findOneAndUpdate',
  'updateOne',
  'updateMany',
  'deleteOne',
  'deleteMany',
  'countDocuments',
  'aggregate',
  'insertMany',
  'save',
];
/** Operations that do not come from a request: building indexes, and a change stream in the background. */
const BESIDE = /^(create|createIndex|createIndexes|createCollection|listIndexes|getMore|killCursors|watch)$/;

const mongoose = new Mongoose();
const hooked: string[] = [];
const debugged: string[] = [];
const commands: string[] = [];
let withoutModel = 0;
let site: Site;

beforeAll(async () => {
  for (const option of ['strict', 'strictQuery'] as const) mongoose.set(option, 'throw');
  mongoose.set('sanitizeFilter', true);
  mongoose.set('transactionAsyncLocalStorage', true);
  mongoose.set('sanitizeProjection', true);
  mongoose.set('runValidators', true);
  mongoose.set('debug', (collection: string, method: string, filter: object, options?: object) => {
    if (!collection.startsWith('oauth_') || BESIDE.test(method)) return;
    debugged.push(collection);
    // doctor looks at collections, of which it has no models, and so does the test itself
    // models count by more than a time
    const isOfDoctor =
      method === 'countDocuments' && ['expiresAt', 'expire'].includes(Object.keys(filter).join());
    if (isOfDoctor || options === undefined) withoutModel += 1;
  });
  mongoose.plugin((schema) => {
    for (const operation of OPERATIONS)
      schema.pre(operation as 'save', function (this: object) {
        // a plugin is in the schemas of parts of documents, too
        if (!('$isSubdocument' in this && this.$isSubdocument === true)) hooked.push(operation);
      });
  });
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
  });
  for (const seen of [hooked, debugged, commands]) seen.length = 0;
  withoutModel = 0;
  await doEverything(site);
  await site.oauth.close();
}, 60_000);
afterAll(async () => {
  await site.database.connection.dropDatabase();
  await site.close();
  await site.database.connection.close();
});

const counted = (names: readonly string[]) =>
  Object.fromEntries(
    [...new Set(names)].sort().map((name) => [name, names.filter((other) => other === name).length]),
  );

describe('everything that a site, its people and its code can do', () => {
  test('all models are of the Mongoose of the connection', () => {
    expect(Object.keys(site.database.connection.models).sort()).toEqual([
      'AuthorizationServerAssertionId',
      'AuthorizationServerAudit',
      'AuthorizationServerClient',
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

  test('its debug function sees every command', () => {
    expect(commands.length).toBeGreaterThan(200);
    expect(counted(debugged)).toEqual(counted(commands));
  });

  test('its plugin sees every command', () => {
    expect(hooked).toHaveLength(commands.length - withoutModel);
    expect([...new Set(hooked)].sort()).toEqual([...OPERATIONS].sort());
  });

  test('nothing failed by its settings', () => {
    expect(site.errors.filter(({ error }) => error === 'server_error')).toEqual([]);
  });

  test('a transaction that the host has open does not take it in', async () => {
    const { oauth, database } = site;
    const session = await database.connection.startSession();
    await session.endSession();
    const { transactionAsyncLocalStorage: storage } = mongoose as unknown as {
      transactionAsyncLocalStorage: AsyncLocalStorage<{ session: typeof session }>;
    };
    // anything that used this session would be refused
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
