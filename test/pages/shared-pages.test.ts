import { expect, test } from '@jest/globals';
import { Passport } from 'passport';

import { createUsers, localLogin } from '../../lib/index.js';
import { openSite } from '../support/site.js';

test('the login page has the siteName and pages.home of the authorization server', async () => {
  await using site = await openSite({ siteName: 'Lantern', pages: { home: '/photos' } });
  const users = createUsers(site.database.connection, { rounds: 4 });
  site.app.use('/own', localLogin({ users, publicBasePath: '/own', passport: new Passport() }));
  const page = await (await fetch(`${site.url}/own/login`)).text();
  expect(page).toContain('href="/photos"');
  expect(page).toContain('Lantern');
});
