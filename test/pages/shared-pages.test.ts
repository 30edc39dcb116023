import { expect, test } from '@jest/globals';
import { Passport } from 'passport';

import { type AuthorizationServerOptions, createUsers, localLogin } from '../../lib/index.js';
import { openSite } from '../support/site.js';

test('one object of pages is for the login and for the authorization server', async () => {
  const pages: NonNullable<AuthorizationServerOptions['pages']> = {
    home: '/photos',
    linkToUnverifiedClients: true,
    reservedNames: ['Lantern Photos'],
    onReport: () => undefined,
  };
  const siteName = 'Lantern';
  await using site = await openSite({ siteName, pages });
  const users = createUsers(site.database.connection, { rounds: 4 });
  const own = { users, siteName, publicBasePath: '/own' };
  site.app.use('/own', localLogin({ ...own, passport: new Passport(), pages }));
  expect(await (await fetch(`${site.url}/own/login`)).text()).toContain('href="/photos"');
  const strange = { ...pages, elsewhere: true };
  expect(() => localLogin({ ...own, passport: new Passport(), pages: strange })).toThrow(
    "unknown member 'elsewhere'",
  );
});
