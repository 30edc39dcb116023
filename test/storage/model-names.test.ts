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

  test('by the names of most tutorials stay the host’s', async () => {
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

  test('by a name of ours: the site does not start, and is told why', () => {
    database.connection.model('AuthorizationServerClient', new Schema({ secret: String }));
    expect(start).toThrow(
      /^authorizationServer: the option connection: it has a model AuthorizationServerClient of its own, in the collection authorizationserverclients; give that model another name/,
    );
  });

  test('by a name of ours and in our collection, but without our fields', () => {
    database.connection.model('AuthorizationServerGrant', new Schema({}), 'oauth_grants');
    expect(start).toThrow(/a model AuthorizationServerGrant of its own, in the collection oauth_grants;/);
  });

  test('by the name of the one of users', () => {
    database.connection.model('AuthorizationServerUser', new Schema({ email: String }));
    expect(() => createUsers(database.connection)).toThrow(/^createUsers: .*a model AuthorizationServerUser/);
  });

  test('what this package has made is shared, as before', () => {
    expect(start().models.Client).toBe(start().models.Client);
  });
});
