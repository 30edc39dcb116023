import { createServer, type Server } from 'node:http';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import express from 'express';
import session from 'express-session';
import { Passport, type PassportStatic } from 'passport';

import { localLogin } from '../../lib/pages/login/local-login.js';
import { outcomeOf } from '../support/outcomes.js';
import { type PagesApp, passwordOf, startPagesApp } from '../support/pages-app.js';
import { type RawResponse, sendRaw } from '../support/raw-http.js';
import {
  type Endpoint,
  type Field,
  openEndpoints,
  type RightRequest,
  sendAndFollow,
  storedText,
  toRaw,
} from '../support/right-requests.js';
import { EVERY_ENDPOINT, routesOf } from '../support/routes.js';
import { openSite, type Site } from '../support/site.js';
import { siteFor } from '../support/site-for.js';

let prepared: readonly Prepared[];
let preparedBehindProxy: readonly Prepared[];
let login: PagesApp;

interface Prepared {
  readonly endpoint: Endpoint;
  readonly right: RightRequest;
}

/** One valid request to each endpoint. A guarded route is the host's, and so is its TLS. */
async function prepare(at: Site): Promise<readonly Prepared[]> {
  const all: Prepared[] = [];
  for (const endpoint of await openEndpoints(at))
    if (endpoint.name !== 'a guarded route') all.push({ endpoint, right: await endpoint.createMore() });
  return all;
}

/** Listens on loopback, like every site behind a proxy; nothing is in front of it. */
const site = siteFor(EVERY_ENDPOINT);
beforeAll(async () => {
  prepared = await prepare(site);
});
/** The same, but it trusts a proxy on this machine. */
const behindProxy = siteFor({
  ...EVERY_ENDPOINT,
  before: (app) => app.set('trust proxy', 'loopback'),
});
beforeAll(async () => {
  preparedBehindProxy = await prepare(behindProxy);
  login = await startPagesApp();
});
afterAll(() => login.close());

type Headers = readonly Field[];

const withHeaders = ({ headers, ...right }: RightRequest, more: Headers): RightRequest => ({
  ...right,
  headers: [...headers, ...more],
});

function expectRefused(name: string, { status, headers, body }: RawResponse): void {
  expect([name, status]).toEqual([name, 400]);
  // no redirect to https: the sent data are exposed already, and the sender must notice
  expect(headers.location).toBeUndefined();
  expect(body).toContain('this endpoint requires TLS (https)');
  expect(body).not.toMatch(/access_token|csrf_token/);
}

/** Every endpoint refuses such a request, and stores nothing. */
async function expectAllRefused(at: Site, headers: Headers): Promise<void> {
  const before = await storedText(at);
  for (const { endpoint, right } of at === site ? prepared : preparedBehindProxy)
    expectRefused(endpoint.name, await sendAndFollow(at.server, toRaw(withHeaders(right, headers))));
  expect((await storedText(at)) === before).toBe(true);
}

async function expectServed(at: Site, { endpoint, right }: Prepared, headers: Headers = []): Promise<void> {
  expect([
    endpoint.name,
    outcomeOf(endpoint, await sendAndFollow(at.server, toRaw(withHeaders(right, headers)))),
  ]).toEqual([endpoint.name, endpoint.outcome]);
}

/** Endpoints that use nothing up, so that they can be called again and again. */
const isRepeatable = ({ endpoint: { name } }: Prepared) =>
  /authorize by|client_credentials|password|introspect/.test(name);

const BY_TLS: Headers = [
  ['Host', 'photos.example'],
  ['X-Forwarded-For', '203.0.113.7'],
  ['X-Forwarded-Proto', 'https'],
];

const IN_THE_CLEAR: readonly [string, Headers][] = [
  ['to another host', [['Host', 'photos.example']]],
  ['to a host that begins like loopback', [['Host', '127.0.0.1.evil.example']]],
  ['to a host that begins with localhost', [['Host', 'localhost.evil.example:80']]],
  ['to a host that ends like loopback', [['Host', 'evil-localhost']]],
  ['to no host', [['Host', '']]],
  ['to every address', [['Host', '0.0.0.0:3000']]],
  ['to an IPv6 address', [['Host', '[::ffff:203.0.113.7]']]],
  ['with loopback as its user name', [['Host', 'localhost@evil.example']]],
  ['with X-Forwarded-For of a proxy', [['X-Forwarded-For', '203.0.113.7']]],
  ['with Forwarded of a proxy (RFC 7239)', [['Forwarded', 'for=203.0.113.7;proto=http']]],
  ["with http as the proxy's protocol", [['X-Forwarded-Proto', 'http']]],
  ['with another host from a proxy', [['X-Forwarded-Host', 'photos.example']]],
  ['with headers of a CDN', [['CF-Connecting-IP', '203.0.113.7']]],
  ['with headers of a balancer', [['X-Client-IP', '203.0.113.7']]],
  ["with https by an old proxy's header", [['X-Forwarded-Ssl', 'on']]],
  [
    'with https claimed by an untrusted sender',
    [
      ['Host', 'photos.example'],
      ['X-Forwarded-Proto', 'https'],
    ],
  ],
  [
    'with https claimed by RFC 7239, which Express does not read',
    [
      ['Host', 'photos.example'],
      ['Forwarded', 'proto=https'],
    ],
  ],
  [
    'with other headers of this kind',
    [
      ['Host', 'photos.example'],
      ['X-Forwarded-Ssl', 'on'],
      ['Front-End-Https', 'on'],
      ['X-Forwarded-Protocol', 'https'],
      ['X-Url-Scheme', 'https'],
    ],
  ],
];

/** A host with the bundled login page, behind a trusted proxy on this machine, with this session cookie. */
async function listenWith(cookie: session.CookieOptions): Promise<Server> {
  const passport = new Passport() as unknown as PassportStatic;
  const app = express().set('trust proxy', 'loopback');
  app.use(session({ secret: 'test', resave: false, saveUninitialized: false, cookie }), passport.session());
  app.use(localLogin({ passport, users: login.users }));
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

describe('RFC 6749 §3.1, §3.2 plain HTTP', () => {
  test.each(IN_THE_CLEAR)('plain HTTP %s is refused', (_how, headers) => expectAllRefused(site, headers));

  test('plain HTTP is refused at each route of EVERY_ENDPOINT, except for public documents', async () => {
    const headers: Headers = [['Host', 'photos.example']];
    for (const { endpoint, method, path } of routesOf(site.oauth)) {
      if (['jwks', 'authorization_details_types'].includes(endpoint)) continue;
      const response = await sendRaw(site.server, { method: method.toUpperCase(), target: path, headers });
      expectRefused(`${method} ${path}`, response);
    }
  });

  test.each(IN_THE_CLEAR)('plain HTTP %s is refused by the bundled login page', async (_how, headers) => {
    for (const request of [
      { target: '/login' },
      { method: 'POST', target: '/login', body: 'username=ada&password=x' },
      { target: '/logout' },
    ]) {
      const type: Field = ['Content-Type', 'application/x-www-form-urlencoded'];
      expectRefused(request.target, await sendRaw(login.server, { ...request, headers: [...headers, type] }));
    }
  });

  test.each(['127.0.0.1', '127.0.0.1:3000', 'localhost', 'LocalHost:3000', '[::1]', '[::1]:3000'])(
    'plain HTTP on this machine, to %s, is served: nothing crosses a network',
    async (host) => {
      for (const each of prepared.filter(isRepeatable)) await expectServed(site, each, [['Host', host]]);
    },
  );

  test('plain HTTP on the machine of a public site is refused, for a proxy may be in front', async () => {
    await using open = await openSite({
      ...EVERY_ENDPOINT,
      database: site.database,
      issuer: 'https://photos.example',
      before: (app) => app.set('trust proxy', 'loopback'),
    });
    const before = await storedText(site);
    for (const { endpoint, right } of prepared)
      expectRefused(endpoint.name, await sendAndFollow(open.server, toRaw(right)));
    expect((await storedText(site)) === before).toBe(true);
  });

  describe('the bundled login page, which knows no issuer and uses the session cookie', () => {
    const form: Field = ['Content-Type', 'application/x-www-form-urlencoded'];
    const logInAt = async (cookie: session.CookieOptions, headers: Headers = []) => {
      const server = await listenWith(cookie);
      try {
        const page = await sendRaw(server, { target: '/login', headers });
        const [, token = ''] = /name="csrf_token" value="([^"]+)"/.exec(page.body) ?? [];
        const answer = await sendRaw(server, {
          method: 'POST',
          target: '/login',
          headers: [
            ...headers,
            form,
            ['Cookie', (page.headers['set-cookie'] ?? []).map((one) => one.split(';')[0]).join('; ')],
          ],
          body: new URLSearchParams({
            csrf_token: token,
            username: 'ada',
            password: passwordOf('ada'),
          }).toString(),
        });
        const leaving = await sendRaw(server, { target: '/logout', headers });
        return { page, answer, leaving };
      } finally {
        await new Promise((resolve) => server.close(resolve));
      }
    };

    test('the login page is refused on this machine with a `secure` cookie and plain HTTP', async () => {
      const { page, answer, leaving } = await logInAt({ secure: true }, [['Host', '127.0.0.1']]);
      expectRefused('the page', page);
      expectRefused('its form', answer);
      expectRefused('the way out', leaving);
      expect([page, answer].map(({ headers }) => headers['set-cookie'])).toEqual([undefined, undefined]);
    });

    test.each<[session.CookieOptions]>([[{ secure: false }], [{ secure: 'auto' }], [{}]])(
      'the login page is served on this machine with the cookie %j',
      async (cookie) => {
        const { page, answer } = await logInAt(cookie, [['Host', '127.0.0.1']]);
        expect([page.status, answer.status, answer.headers.location]).toEqual([200, 303, ['/']]);
      },
    );

    test('the login page is served by TLS of a trusted proxy', async () => {
      const { page, answer } = await logInAt({ secure: true }, BY_TLS);
      expect([page.status, answer.status]).toEqual([200, 303]);
    });
  });

  test('plain HTTP/1.0, as from proxies with defaults, is refused', async () => {
    const ancient = { httpVersion: '1.0' } as const;
    expectRefused('/login', await sendRaw(login.server, { ...ancient, target: '/login' }));
    expectRefused('authorize', await sendRaw(site.server, { ...ancient, target: '/oauth/authorize' }));
  });

  test('a request refused for plain HTTP has used nothing up', async () => {
    for (const each of prepared) await expectServed(site, each);
  });
});

describe('behind a proxy that the site trusts', () => {
  test.each<[string, Headers]>([
    [
      'http',
      [
        ['Host', 'photos.example'],
        ['X-Forwarded-For', '203.0.113.7'],
        ['X-Forwarded-Proto', 'http'],
      ],
    ],
    [
      'no protocol',
      [
        ['Host', 'photos.example'],
        ['X-Forwarded-For', '203.0.113.7'],
      ],
    ],
    [
      'an unknown protocol',
      [
        ['Host', 'photos.example'],
        ['X-Forwarded-For', '203.0.113.7'],
        ['X-Forwarded-Proto', 'httpsx'],
      ],
    ],
    [
      'http first',
      [
        ['Host', 'photos.example'],
        ['X-Forwarded-For', '203.0.113.7'],
        ['X-Forwarded-Proto', 'http, https'],
      ],
    ],
    // headers of a proxy that sends the upstream's host name
    ['http, to the internal host name', [['X-Forwarded-Proto', 'http']]],
  ])("a proxy's request by %s is refused", (_what, headers) => expectAllRefused(behindProxy, headers));

  test('a request by TLS of a trusted proxy is served, after refused ones used nothing up', async () => {
    for (const each of preparedBehindProxy) await expectServed(behindProxy, each, BY_TLS);
  });
});

describe('with dangerouslyAllowInsecureHttp', () => {
  test('plain HTTP from anywhere is served with dangerouslyAllowInsecureHttp', async () => {
    await using open = await openSite({
      ...EVERY_ENDPOINT,
      issuer: 'http://photos.example',
      security: { rateLimits: false, dangerouslyAllowInsecureHttp: true },
    });
    for (const each of await prepare(open))
      await expectServed(open, each, [
        ['Host', 'photos.example'],
        ['X-Forwarded-For', '203.0.113.7'],
      ]);
  });
});

describe('a request that a proxy could read differently', () => {
  test.each<[string, Headers]>([
    [
      'a space before the colon',
      [
        ['Host', 'localhost'],
        ['Content-Length ', '0'],
      ],
    ],
    [
      'two lengths',
      [
        ['Host', 'localhost'],
        ['Content-Length', '0'],
        ['Content-Length', '5'],
      ],
    ],
  ])('%s: Node refuses the request', async (_what, headers) => {
    const response = await sendRaw(site.server, { method: 'POST', target: '/oauth/token', headers });
    expect([response.status, response.body]).toEqual([400, '']);
  });
});
