import { describe, expect, test } from '@jest/globals';

import { authorizationServer, type AuthorizationServerOptions } from '../../lib/index.js';
import { openDatabase } from '../support/database.js';
import { SCOPES } from '../support/site.js';
import { fixture } from '../support/site-for.js';

describe('the option registration', () => {
  const database = fixture(() => openDatabase());

  test.each([
    [true, /registration must be false or an object/],
    ['open', /registration must be false or an object/],
    [{ open: 'yes' }, /registration/],
    [{ opne: true }, /registration/],
    [{ maxClients: 0 }, /registration/],
    [{ unusedTtl: -1 }, /registration/],
    [
      { grantTypes: ['implicit'] },
      /registration.grantTypes: 'implicit' is not among grantTypes of the server: authorization_code/,
    ],
    [{ scopes: ['admin'] }, /registration.scopes: 'admin' is not among scopes of the server/],
    [{ verifySoftwareStatement: 'jwt' }, /registration/],
  ])('%j throws while the app starts', (registration, message) => {
    const options = {
      issuer: 'https://photos.example',
      connection: database.connection,
      scopes: SCOPES,
      login: '/login',
      registration,
    } as unknown as AuthorizationServerOptions;
    expect(() => authorizationServer(options)).toThrow(TypeError);
    expect(() => authorizationServer(options)).toThrow(message);
  });
});
