import { afterAll, beforeAll, expect, test } from '@jest/globals';
import request from 'supertest';

import { connectTo, openDatabase } from '../support/database.js';
import { openSite, type Site } from '../support/site.js';
import { fixture } from '../support/site-for.js';
import { callApi, obtainTokens, tokenRequest } from '../support/tokens.js';

let site: Site;

interface Command {
  readonly name: string;
  readonly collection: string;
  readonly command: {
    readonly $readPreference?: { readonly mode: string };
    readonly writeConcern?: object;
    readonly readConcern?: object;
  };
}
const commands: Command[] = [];

/** A host that accepts slightly old data, and the loss of its own writes in a failover. */
const database = fixture(() => openDatabase());
beforeAll(async () => {
  const uri = new URL(database.uri);
  for (const [name, value] of [
    ['readPreference', 'secondaryPreferred'],
    ['w', '1'],
    ['readConcernLevel', 'available'],
  ] as const)
    uri.searchParams.set(name, value);
  const tolerant = await connectTo(uri.toString());
  tolerant.connection.getClient().on('commandStarted', ({ commandName: name, command }) => {
    const collection = String(command[name]);
    if (collection.startsWith('oauth_')) commands.push({ name, collection, command });
  });
  site = await openSite({ database: tolerant, audit: { ttl: 3600 } });
  // the test support empties the record of the issuer before the server reads it
  commands.splice(0, commands.length, ...commands.filter(({ name }) => name !== 'delete'));
});
afterAll(async () => {
  await site.oauth.close();
  await site.close();
  await site.database.connection.close();
});

test('the indexes are built even if reads may go to secondaries, where Mongoose builds none', async () => {
  expect(await site.database.collection('oauth_grants').indexes()).toContainEqual(
    expect.objectContaining({ expireAfterSeconds: 0 }),
  );
  expect(await site.database.collection('oauth_consents').indexes()).toContainEqual(
    expect.objectContaining({ unique: true }),
  );
});

test('reads go to the primary and writes to the majority despite the connection string', async () => {
  const client = await site.client({ ownerId: 'ada' });
  const tokens = await obtainTokens(site, client);
  expect((await callApi(site, tokens.access_token)).status).toBe(200);
  await tokenRequest(site, client, {
    grant_type: 'refresh_token',
    refresh_token: tokens.refresh_token,
  }).expect(200);
  await request(site.server)
    .post('/oauth/introspect')
    .auth(client.clientId, client.clientSecret!)
    .type('form')
    .send({ token: 'x' });
  await site.oauth.clients.listOfOwner('ada');
  await site.oauth.clients.update(client.clientId, { name: 'Another name' });
  await site.oauth.clients.rotateSecret(client.clientId);
  await site.oauth.grants.revoke({ userId: 'ada' });
  await site.oauth.clients.delete(client.clientId);
  await site.oauth.close();

  const reads = commands.filter(({ name }) => ['find', 'aggregate', 'count'].includes(name));
  const writes = commands.filter(({ name }) =>
    ['insert', 'update', 'delete', 'findAndModify'].includes(name),
  );
  expect(new Set(reads.map(({ collection }) => collection))).toEqual(
    new Set(['oauth_clients', 'oauth_grants', 'oauth_consents', 'oauth_issuers', 'oauth_signing_keys']),
  );
  expect(new Set(writes.map(({ name, collection }) => `${name} ${collection}`))).toEqual(
    new Set([
      'insert oauth_clients',
      'findAndModify oauth_clients',
      'update oauth_clients',
      'delete oauth_clients',
      'insert oauth_grants',
      'update oauth_grants',
      'update oauth_consents',
      'delete oauth_consents',
      'insert oauth_audit',
      'delete oauth_client_logos',
    ]),
  );
  // the driver sends `primaryPreferred` to a server to which it is connected directly
  const isStrict = ({ command }: Command) =>
    ['primary', 'primaryPreferred', undefined].includes(command.$readPreference?.mode);
  expect(reads.filter((read) => !isStrict(read))).toEqual([]);
  expect(writes.filter(({ command }) => JSON.stringify(command.writeConcern) !== '{"w":"majority"}')).toEqual(
    [],
  );
});
