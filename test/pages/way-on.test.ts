import { beforeAll, describe, expect, it } from '@jest/globals';
import mongoose from 'mongoose';
import { Passport } from 'passport';
import request from 'supertest';

import { createUsers, localLogin, type LocalLoginOptions } from '../../lib/index.js';
import { openDatabase } from '../support/database.js';
import { formatQuery, logInPerson, type Person } from '../support/person.js';
import { openSite, REDIRECT_URI, type Site } from '../support/site.js';
import { fixture, siteFor } from '../support/site-for.js';

const UNREGISTERED = 'https://print.example/callbak';

let ada: Person;
let grace: Person;
/** The host's rule for developers; a test may break it. */
let isDeveloper: () => boolean = () => true;
const database = fixture(() => openDatabase());
const site = siteFor({
  siteName: 'Lantern & Photos',
  pages: { home: '/start', logout: '/logout' },
  applications: { isDeveloper: () => isDeveloper() },
});
const shop = fixture(() => site.client({ name: 'Inkwell <b>Shop</b>', ownerId: 'ada' }));

beforeAll(async () => {
  const users = createUsers(database.connection, { rounds: 4 });
  site.app.use(
    '/own',
    localLogin({
      passport: new Passport(),
      users,
      publicBasePath: '/own',
      oauth: site.oauth,
      links: { forgot: '/forgot-password', signUp: '/sign-up' },
    }),
  );
  [ada, grace] = [await logInPerson(site, 'ada'), await logInPerson(site, 'grace')];
});

const textOf = async (person: Person, path: string, status = 200) =>
  (await person.agent.get(path).expect(status)).text;
const askFor = (redirectUri = REDIRECT_URI, clientId = shop.clientId) =>
  `/oauth/authorize?${formatQuery({ response_type: 'code', client_id: clientId, redirect_uri: redirectUri })}`;

describe('links of each page', () => {
  it.each(['/oauth/authorizations', '/oauth/applications', '/oauth/applications/new'])(
    'the page %s links the home page and the logout',
    async (path) => {
      const text = await textOf(ada, path);
      expect(text).toMatch(/<a class="eas-site-name" id="site-home" href="\/start">.*Lantern &amp; Photos/);
      expect(text).toMatch(/<a id="log-out" href="\/logout">Log out<\/a>/);
    },
  );

  it('connected apps and applications link each other and mark the current page', async () => {
    const connected = await textOf(ada, '/oauth/authorizations');
    expect(connected).toContain('<a href="/oauth/authorizations" aria-current="page">Connected apps</a>');
    expect(connected).toContain('<a href="/oauth/applications">Your applications</a>');
    const applications = await textOf(ada, '/oauth/applications');
    expect(applications).toContain('<a href="/oauth/authorizations">Connected apps</a>');
    expect(applications).toContain('<a href="/oauth/applications" aria-current="page">');
  });

  it('only developers get a link to applications, and none if isDeveloper throws', async () => {
    isDeveloper = () => false;
    expect(await textOf(grace, '/oauth/authorizations')).not.toContain('/oauth/applications');
    isDeveloper = () => {
      throw new Error('the roles are away');
    };
    expect(await textOf(grace, '/oauth/authorizations')).not.toContain('/oauth/applications');
    expect(site.errors.at(-1)).toMatchObject({ error: 'server_error', endpoint: 'authorizations' });
    isDeveloper = () => true;
  });

  it('an error page links the site', async () => {
    const text = await textOf(grace, '/oauth/authorize?client_id=nobody', 400);
    expect(text).toMatch(/<a id="error-home" href="\/start">To <bdi>Lantern &amp; Photos<\/bdi><\/a>/);
  });
});

describe('an unregistered redirect URI', () => {
  it('the error page shows the application’s name and the redirect URI, escaped', async () => {
    const text = await textOf(grace, askFor(`${UNREGISTERED}?<script>`), 400);
    expect(text).toMatch(/role="alert">“<bdi>Inkwell &lt;b&gt;Shop&lt;\/b&gt;<\/bdi>” wants to send you/);
    const [before = '', folded = ''] = text.split('<details');
    expect(before).not.toContain('callbak');
    expect(folded).toContain(`<code>${UNREGISTERED}?&lt;script&gt;</code>`);
    expect(text).not.toContain('error-own-client');
  });

  it('only the developer of the application gets a link to its form on the error page', async () => {
    expect(await textOf(ada, askFor(UNREGISTERED), 400)).toContain(
      `<a id="error-own-client" href="/oauth/applications/${shop.clientId}/edit">`,
    );
    const { text } = await request(site.server).get(askFor(UNREGISTERED)).expect(400);
    expect(text).not.toContain('error-own-client');
    // a client without an owner does not belong to a user without an id
    const { clientId } = await site.client({ name: 'Of the site' });
    expect(await textOf(ada, askFor(UNREGISTERED, clientId), 400)).not.toContain('error-own-client');
  });

  it('registered redirect URIs stand only in the details, on loopback (server/first-minutes)', async () => {
    const [before = '', details = ''] = (await textOf(ada, askFor(UNREGISTERED), 400)).split('<details');
    expect(before).not.toContain(REDIRECT_URI);
    expect(details).toContain(`registered: ${REDIRECT_URI}`);
  });
});

describe('the login page for a waiting client', () => {
  const loginFor = async (returnTo: string) =>
    (await request(site.server).get('/own/login').query({ return_to: returnTo }).expect(200)).text;

  it('the login page names the waiting client', async () => {
    expect(await loginFor(askFor())).toMatch(
      /<p class="eas-lead" id="login-waiting">To go on to <strong><bdi>Inkwell &lt;b&gt;Shop&lt;\/b&gt;<\/bdi><\/strong><\/p>/,
    );
    expect(await loginFor('/')).not.toContain('login-waiting');
  });

  it('the login page names the publisher of a verified client', async () => {
    const { clientId } = await site.client({
      name: 'Prints',
      verified: true,
      publisher: 'Inkwell <b>Ltd</b>',
    });
    expect(await loginFor(askFor(REDIRECT_URI, clientId))).toMatch(
      /id="login-publisher">Published by <bdi>Inkwell &lt;b&gt;Ltd&lt;\/b&gt;<\/bdi><\/span>/,
    );
    expect(await loginFor(askFor())).not.toContain('Published by');
  });

  it.each([
    ['an unknown client', () => askFor(REDIRECT_URI, 'nobody')],
    ['an unregistered redirect URI', () => askFor(UNREGISTERED)],
    [
      'another page with the parameters of a request',
      () => askFor().replace('/oauth/authorize', '/elsewhere'),
    ],
    ['an unreadable query', () => `${askFor()}&client_id=%ff`],
  ])('the login page names no client for %s', async (_name, pathOf) => {
    expect(await loginFor(pathOf())).not.toContain('login-waiting');
  });

  it('the login page has links for a forgotten password and for signing up', async () => {
    const text = await loginFor('/');
    expect(text).toContain('<a id="login-forgot" href="/forgot-password">Forgot your password?</a>');
    expect(text).toContain('<a id="login-sign-up" href="/sign-up">No account yet? Sign up</a>');
  });

  it('localLogin throws for links to other sites or schemes', () => {
    const users = createUsers(mongoose.connection);
    for (const forgot of ['javascript:alert(1)', '//evil.example', '/a"b'])
      expect(() =>
        localLogin({ passport: { use: () => undefined } as never, users, links: { forgot } }),
      ).toThrow(/localLogin: the option links\.forgot must be a path on this site such as \/forgot-password/);
  });
});

it.each<[string, (site: Site) => Pick<LocalLoginOptions, 'users' | 'oauth'>]>([
  ['localLogin', ({ database }) => ({ users: createUsers(database.connection, { rounds: 4 }) })],
  [
    'localLogin with users of the site, which has oauth',
    ({ oauth }) => ({
      users: { findById: () => Promise.resolve(null), verify: () => Promise.resolve(null) },
      oauth,
    }),
  ],
])('without pages.logout the link to log out leads to the page of %s', async (_name, optionsOf) => {
  await using other = await openSite({});
  const passport = new Passport();
  other.app.use('/own', localLogin({ passport, publicBasePath: '/own', ...optionsOf(other) }));
  const person = await logInPerson(other, 'ada');
  expect((await person.agent.get('/oauth/authorizations').expect(200)).text).toContain(
    '<a id="log-out" href="/own/logout">',
  );
});
