import { randomUUID } from 'node:crypto';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import mongoose, { type Connection } from 'mongoose';

import { authorizationServer, type OAuthError } from '../../lib/index.js';
import { databaseUri } from '../support/database.js';
import { type MongoProxy, startMongoProxy } from '../support/mongo-proxy.js';
import { openSite, SCOPES } from '../support/site.js';
import { tokenRequest } from '../support/tokens.js';
import { until } from '../support/until.js';

let proxy: MongoProxy;
let connection: Connection;

beforeEach(async () => {
  proxy = await startMongoProxy(databaseUri(`start_${randomUUID().slice(0, 8)}`));
  connection = await mongoose
    .createConnection(proxy.uri, { serverSelectionTimeoutMS: 2000, heartbeatFrequencyMS: 500 })
    .asPromise();
});
afterEach(async () => {
  proxy.mend();
  await until(() => connection.readyState === mongoose.STATES.connected);
  await connection.dropDatabase();
  await connection.close();
  await proxy.close();
});

/** Starts while the database is away; resolves when onError has heard it. */
async function beginWithout(reported: OAuthError[]) {
  proxy.cut();
  const oauth = authorizationServer({
    issuer: 'http://127.0.0.1:3000',
    connection,
    scopes: SCOPES,
    login: '/login',
    onError: (error, { endpoint }) => void (endpoint === 'ready' && reported.push(error)),
  });
  await until(() => reported.length > 0);
  return oauth;
}

const indexesOf = (collection: string) =>
  connection
    .collection(collection)
    .indexes()
    .catch(() => []);

describe('a database that is away while the site starts', () => {
  test('a start without the database is reported, and the indexes are built once it is back', async () => {
    const reported: OAuthError[] = [];
    const oauth = await beginWithout(reported);
    expect(reported[0]?.detail).toContain('indexes could not be built');
    expect(reported[0]?.cause).toBeInstanceOf(Error);
    proxy.mend();
    for (const { schema, collection } of Object.values(oauth.models))
      await until(async () => (await indexesOf(collection.name)).length === schema.indexes().length + 1);
    await oauth.close();
  });

  test('ready() resolves after a start without the database once it is back', async () => {
    const oauth = await beginWithout([]);
    proxy.mend();
    await until(() => connection.readyState === mongoose.STATES.connected);
    await oauth.ready();
    for (const { schema, collection } of Object.values(oauth.models))
      expect(await indexesOf(collection.name)).toHaveLength(schema.indexes().length + 1);
    await oauth.close();
  });
});

test('close() ends while the database hangs, with the audit and the change stream on', async () => {
  const site = await openSite({
    database: { connection, uri: proxy.uri, close: () => connection.close() },
    advanced: { databaseTimeout: 2000 },
    audit: { ttl: 3600 },
  });
  const client = await site.client({ grantTypes: ['client_credentials'] });
  const ask = () => tokenRequest(site, client, { grant_type: 'client_credentials' });
  expect((await ask()).status).toBe(200);
  expect((await ask()).status).toBe(200);
  proxy.freeze();
  await site.oauth.close();
  await site.close();
});
