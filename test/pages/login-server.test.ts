import { afterAll, expect, it } from '@jest/globals';

import { createEvents } from '../../lib/core/observability/events.js';
import { BUILT_IN, registryOf } from '../../lib/features.js';
import { offerLoginServices } from '../../lib/pages/login/servers-by-connection.js';
import { parseSettings } from '../../lib/settings/settings.js';
import { closePagesApps, startPagesApp } from '../support/pages-app.js';

afterAll(closePagesApps);

it('localLogin looks up its server at each request, and its paths match in any case', async () => {
  const site = await startPagesApp();
  const { connection } = site.database;
  offerLoginServices(connection, {
    settings: parseSettings(
      { issuer: 'http://127.0.0.1:3000', connection, scopes: {}, login: '/login', siteName: 'Prints' },
      registryOf(BUILT_IN),
    ),
    isLoopback: false,
    events: createEvents(),
    sessions: undefined,
    describeRequest: () => Promise.resolve(undefined),
    findRedirectUris: () => Promise.resolve([]),
  });
  expect((await site.agent().get('/LOGIN').expect(200)).text).toContain('Prints');
});
