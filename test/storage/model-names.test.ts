import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Schema } from 'mongoose';

import { authorizationServer, createUsers } from '../../lib/index.js';
import { openDatabase, type TestDatabase } from '../support/database.js';
import { openSite } from '../support/site.js';

describe('models of the host on the same connection', () => {
  let database: TestDatabase;
  beforeEach(async () => void (database = await openDatabase()));
  afterEach(() => database.close());

  const start = () =>
    authorizationServer({
      issuer: 'https://photos.example',
      connection: database.connection,
      scopes: { 'photos:read': 'See your photos' },
      login: '/login',
      signingKeys: { encryptionSecret: 'of the test: thirty-two characters' },
    });

  test('models of the host by the names of most tutorials stay untouched', async () => {
    const { connection } = database;
    const Host = connection.model('OAuthClient', new Schema({ secret: String }));
    connection.model('OAuthGrant', new Schema({}));
    const site = await openSite({ database });
    const { clientId } = await site.client();
    expect(await site.oauth.clients.update(clientId, { name: 'Renamed' })).toMatchObject({ name: 'Renamed' });
    expect(await Host.countDocuments()).toBe(0);
    expect(await connection.collection('oauth_clients').countDocuments()).toBe(1);
    await site.close();
  });

  test('a model of the host with a name of this package is refused at the start, with the reason', () => {
    database.connection.model('AuthorizationServerClient', new Schema({ secret: String }));
    expect(start).toThrow(
      /^authorizationServer: the option connection: it has a model AuthorizationServerClient of its own, in the collection authorizationserverclients; give that model another name/,
    );
  });

  test('a model of the host by name and collection of this package, without its fields, is refused', () => {
    database.connection.model('AuthorizationServerGrant', new Schema({}), 'oauth_grants');
    expect(start).toThrow(/a model AuthorizationServerGrant of its own, in the collection oauth_grants;/);
  });

  test('a model of the host by the name of the user model is refused by createUsers', () => {
    database.connection.model('AuthorizationServerUser', new Schema({ email: String }));
    expect(() => createUsers(database.connection)).toThrow(/^createUsers: .*a model AuthorizationServerUser/);
  });

  test('two servers on one connection share the models of this package', () => {
    expect(start().models.Client).toBe(start().models.Client);
  });
});
