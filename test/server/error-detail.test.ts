import { afterAll, afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import express, { type Express, type Router } from 'express';
import session from 'express-session';
import { Passport } from 'passport';
import request, { type Response } from 'supertest';

import { localLogin, OAuthError } from '../../lib/index.js';
import { createUsers } from '../../lib/storage/other/users.js';
import { hiddenFields, logInPerson, type Person, postForm, unescapeHtml } from '../support/person.js';
import { openSite, type Site, type SiteOptions } from '../support/site.js';
import { fixture, siteFor } from '../support/site-for.js';

/* An error page on loopback, which the developer sees, repeats the `detail` of `onError`. A public page does not. */
const PUBLIC = 'https://photos.example';
const SECRET = 'eas_at_0123456789012345678901234567890123456789';

/** Faults of a function of the host, by a header of the request. */
const FAULTS: Readonly<Record<string, () => Error>> = {
  plain: () => new Error(`the roles are away: ${SECRET}`),
  nested: () =>
    new Error('the roles are away', {
      cause: new TypeError('fetch failed', {
        cause: Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }),
      }),
    }),
  unavailable: () =>
    new OAuthError('temporarily_unavailable', 'please try again', {
      detail: 'the roles did not answer',
      cause: new Error('connection 3 to 10.0.0.7 timed out'),
    }),
};

interface Opened {
  readonly site: Site;
  readonly clientId: string;
  readonly person: Person;
  /** The arguments of `onError`, the newest last. */
  readonly reported: OAuthError[];
}

async function openFaulty(options: SiteOptions): Promise<Opened> {
  const reported: OAuthError[] = [];
  const site = await openSite({
    ...options,
    applications: {
      isDeveloper: (req) => {
        const fault = FAULTS[String(req.headers['x-fault'])];
        if (fault !== undefined) throw fault();
        return true;
      },
    },
    pages: {
      layout: ({ content }, req) => {
        if (req.headers['x-fault'] === 'layout') throw new Error('there is no partial header');
        return content;
      },
    },
    onError: (error) => void reported.push(error),
  });
  const { clientId } = await site.client();
  const person = await logInPerson(site);
  return { site, clientId, person, reported };
}

/** Reasons of error pages, the request that causes each, and the words for the developer. */
const CASES: readonly (readonly [
  string,
  (opened: Opened) => request.Test | Promise<Response>,
  readonly string[],
])[] = [
  [
    'an unknown client',
    ({ person }) => person.agent.get('/oauth/authorize?response_type=code&client_id=nobody'),
    ['client_id nobody'],
  ],
  [
    'an unregistered redirect URI',
    ({ person, clientId }) =>
      person.agent.get(
        `/oauth/authorize?response_type=code&client_id=${clientId}&redirect_uri=https://other.example/`,
      ),
    ['https://print.example/callback'],
  ],
  [
    'a form of another session',
    ({ person }) => postForm(person.agent, '/oauth/applications', { name: 'x' }),
    ['CSRF token missing, of another session or of another user'],
  ],
  [
    'a method that a page does not have',
    ({ person }) => person.agent.put('/oauth/authorize'),
    ['method PUT'],
  ],
  [
    'a field that a sanitizer has changed',
    async ({ person, clientId }) => {
      const page = await person.openAuthorize({ response_type: 'code', client_id: clientId });
      const fields = { ...hiddenFields(page), authorization_request: 'changed', decision: 'allow' };
      return postForm(person.agent, '/oauth/authorize', fields);
    },
    ['a sanitizer or another middleware of the site changes what is in bodies'],
  ],
  [
    'a fault of a function of the site',
    ({ person }) => person.agent.get('/oauth/applications').set('x-fault', 'plain'),
    ['the roles are away: eas_at_…'],
  ],
  [
    'a fault with faults underneath',
    ({ person }) => person.agent.get('/oauth/applications').set('x-fault', 'nested'),
    ['the roles are away', 'fetch failed', 'ECONNREFUSED'],
  ],
  [
    'something that did not answer: its detail and its cause',
    ({ person }) => person.agent.get('/oauth/applications').set('x-fault', 'unavailable'),
    ['the roles did not answer', 'connection 3 to 10.0.0.7 timed out'],
  ],
  [
    'a layout that fails',
    ({ person }) => person.agent.get('/oauth/applications').set('x-fault', 'layout'),
    ['the layout of the pages failed', 'there is no partial header'],
  ],
];

describe.each([
  ['on loopback', {}, true],
  ['of a public site', { issuer: PUBLIC }, false],
] as const)('the error page %s', (where, options, isDisplayed) => {
  const opened = fixture(() => openFaulty(options));
  afterAll(() => opened.site.close());

  test.each(CASES)(
    `the page ${where} for %s ${isDisplayed ? 'shows' : 'hides'} its detail`,
    async (_why, send, said) => {
      const { text, status } = await send(opened);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(opened.reported.length).toBeGreaterThan(0);
      const [, detail] = /id="error-detail">([^<]*)</.exec(text) ?? [];
      for (const part of said) {
        if (isDisplayed) expect(unescapeHtml(detail ?? '')).toContain(part);
        else expect(unescapeHtml(text)).not.toContain(part);
      }
      expect(text.includes('id="error-details" open')).toBe(isDisplayed);
      expect(text).not.toContain(SECRET);
    },
  );
});

const everyPage: SiteOptions = {
  openid: { claims: () => ({}) },
  personalAccessTokens: true,
  pages: { linkToUnverifiedClients: true },
  grantTypes: ['authorization_code', 'urn:ietf:params:oauth:grant-type:device_code'],
};

const detailOf = ({ text }: Response): string =>
  unescapeHtml(/id="error-detail">([^<]*)</.exec(text)?.[1] ?? '');

const appOf = (...handlers: readonly express.RequestHandler[]): Express =>
  express().use(...(handlers as [Router]));

describe('a page before the session', () => {
  const NO_SESSION =
    'express-authorization-server: there is no session; write app.use(session({ … })) and app.use(passport.session()) before app.use';
  const site = siteFor(everyPage);

  const pages = ['applications', 'authorizations', 'access-tokens', 'device', 'end_session'];

  test.each(pages)('/oauth/%s before the session names its router as mounted too early', async (name) => {
    const { oauth } = site;
    const path = `/oauth/${name}`;
    for (const router of ['router', 'pageRouter'] as const)
      expect(detailOf(await request(appOf(oauth[router])).get(path).expect(500))).toBe(
        `${NO_SESSION}(oauth.${router})`,
      );
    const alone = express().use(path, (oauth.endpoints as Readonly<Record<string, Router>>)[name]!);
    expect(detailOf(await request(alone).get(path).expect(500))).toMatch(
      new RegExp(`before app\\.use\\(oauth\\.endpoints(\\.${name}|\\['${name}'\\])\\)$`),
    );
  });

  test('/oauth/authorize before the session shows the detail, and does not redirect', async () => {
    const { clientId } = await site.client({ ownerId: 'ada' });
    const path = `/oauth/authorize?response_type=code&client_id=${clientId}`;
    expect(detailOf(await request(appOf(site.oauth.router)).get(path).expect(500))).toBe(
      `${NO_SESSION}(oauth.router)`,
    );
  });
});

describe('localLogin', () => {
  const NOT_BEFORE = /before app\.use\(localLogin\(\{ … \}\)\)$/;
  const loginOf = (site: Site, options: object = {}) =>
    localLogin({
      passport: new Passport(),
      users: createUsers(site.database.connection),
      ...options,
    });
  const own = { verify: () => Promise.resolve(null), findById: () => Promise.resolve(null) };
  const site = siteFor();

  test.each([
    ['get', '/login'],
    ['post', '/login'],
    ['get', '/logout'],
    ['post', '/logout'],
  ] as const)('%s %s before the session names localLogin', async (method, path) => {
    const client = request(appOf(loginOf(site)));
    const answer = await client[method](path).expect(500);
    expect(detailOf(answer)).toMatch(/there is no session; write app\.use\(session\(/);
    expect(detailOf(answer)).toMatch(NOT_BEFORE);
  });

  test('localLogin before passport.session() says so to users whom it could not log out', async () => {
    const app = appOf(
      session({ secret: 'of the test', resave: false, saveUninitialized: false }),
      (req, _res, next) => {
        (req.session as { passport?: object }).passport = { user: 'ada' };
        next();
      },
      loginOf(site),
    );
    for (const path of ['/login', '/logout']) {
      const detail = detailOf(await request(app).get(path).expect(500));
      expect(detail).toContain('req.user is not set; write app.use(passport.session())');
      expect(detail).toMatch(NOT_BEFORE);
    }
  });

  beforeEach(() => void jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined));
  afterEach(() => void jest.restoreAllMocks());
  const behindTls = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-For': '203.0.113.7' };

  test.each(['/login', '/logout', '/oauth/applications', '/oauth/authorize'])(
    '%s behind TLS without trust proxy shows the warning of the terminal',
    async (path) => {
      const answer = await request(appOf(loginOf(site), site.oauth.router))
        .get(path)
        .set(behindTls)
        .expect(400);
      expect(detailOf(answer)).toContain(
        "X-Forwarded-Proto is https, and Express does not believe it, so requests are refused as plain HTTP; behind one TLS proxy write app.set('trust proxy', 1)",
      );
    },
  );

  test('localLogin with custom users finds its server by the option oauth', async () => {
    const login = loginOf(site, { users: own, oauth: site.oauth });
    expect(detailOf(await request(appOf(login)).get('/login').expect(500))).toMatch(NOT_BEFORE);
  });

  test('localLogin shows no detail if the issuer is public or its server is closed', async () => {
    const other = await openSite({ issuer: PUBLIC });
    const login = loginOf(other, { oauth: other.oauth });
    expect((await request(appOf(login)).get('/login').expect(500)).text).not.toContain('app.use(');
    const { text } = await request(appOf(login)).get('/login').set(behindTls).expect(400);
    expect(text).not.toContain('trust proxy');
    await other.close();
    expect((await request(appOf(login)).get('/login').expect(500)).text).not.toContain('app.use(');
  });
});
