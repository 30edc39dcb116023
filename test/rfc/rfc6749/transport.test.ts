import { describe, expect, test } from '@jest/globals';

import { authorizationServer } from '../../../lib/index.js';
import { connectionFor } from '../../support/database.js';
import { SCOPES } from '../../support/site.js';
import { siteFor } from '../../support/site-for.js';

const site = siteFor();

describe('§3.1 the issuer', () => {
  const start = (more: object) =>
    authorizationServer({
      issuer: 'http://photos.example',
      connection: connectionFor('http://photos.example', site.database.connection),
      scopes: SCOPES,
      login: '/login',
      ...more,
    });

  test('§3.1 an issuer without TLS stops the site from starting, with the cure [3.1-4] [3.2-3]', () => {
    expect(() => start({})).toThrow(/issuer.*https:/);
  });
});
