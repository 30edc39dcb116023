import { afterAll, beforeAll, expect, test } from '@jest/globals';

import { authorizationServer } from '../../lib/index.js';
import { openDatabase, type TestDatabase } from '../support/database.js';
import { SCOPES } from '../support/site.js';

let database: TestDatabase;
const warnings: string[] = [];
const note = ({ name }: Error) => void warnings.push(name);

beforeAll(async () => {
  process.on('warning', note);
  database = await openDatabase();
});
afterAll(async () => {
  await database.close();
  process.off('warning', note);
});

const open = () =>
  authorizationServer({
    issuer: 'http://127.0.0.1:3000',
    connection: database.connection,
    scopes: SCOPES,
    login: '/login',
    audit: { ttl: 3600 },
  });
const listeners = () =>
  ['connected', 'close', 'disconnected'].map((name) => database.connection.listenerCount(name));

test('a connection has one set of listeners for all its servers, removed by the last close()', async () => {
  const before = listeners();
  const servers = Array.from({ length: 11 }, open);
  expect(listeners()).toEqual(before.map((count) => count + 1));
  await servers[0]!.ready();
  const [last, ...others] = servers;
  for (const server of others) await server.close();
  await others[0]!.close();
  expect(listeners()).toEqual(before.map((count) => count + 1));
  await last!.close();
  expect(listeners()).toEqual(before);
  await open().close();
  expect(listeners()).toEqual(before);
  // a warning is emitted in the next turn
  await new Promise(setImmediate);
  expect(warnings).toEqual([]);
});
