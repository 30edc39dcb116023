import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import express, { type RequestHandler } from 'express';
import helmet from 'helmet';
import { Passport } from 'passport';

import type { Finding } from '../../lib/cli/doctor/finding.js';
import { type AuthorizationServer, authorizationServer, createUsers, localLogin } from '../../lib/index.js';
import { type BusyHostOptions, createBusyHost } from '../support/busy-host.js';
import { runCli } from '../support/cli.js';
import { openDatabase } from '../support/database.js';
import { openFolder } from '../support/folder.js';
import { REDIRECT_URI, SCOPES } from '../support/site.js';
import { fixture } from '../support/site-for.js';

let server: Server;
let issuer: string;
let oauth: AuthorizationServer;
let app: RequestListener;

const serverOf = (options = {}) =>
  authorizationServer({
    issuer,
    connection: database.connection,
    scopes: SCOPES,
    login: '/login',
    onError: () => undefined,
    ...options,
  });

const database = fixture(() => openDatabase());
beforeAll(async () => {
  server = createServer((req, res) => app(req, res));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  oauth = serverOf();
  await oauth.ready();
  await oauth.clients.create({
    name: 'Printing shop',
    redirectUris: [REDIRECT_URI],
    grantTypes: ['authorization_code'],
  });
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const findings = async (args: readonly string[] = ['--issuer', issuer], cwd?: string) => {
  const options = { uri: database.uri, ...(cwd !== undefined && { cwd }) };
  const { stdout, stderr } = await runCli(['doctor', '--json', ...args], options);
  if (stdout === '') throw new Error(stderr);
  return (JSON.parse(stdout) as { findings: Finding[] }).findings;
};
/** The findings of doctor at a site, without those on headers that any site should have. */
async function look(options: BusyHostOptions, args?: readonly string[]) {
  app = createBusyHost({ saveUninitialized: false, ...options }).app;
  const found = (await findings(args)).filter(
    ({ check }) =>
      !/^(page\.(framing|nosniff|referrer|unseen)|cookie\.|site\.http|deployment\.|index\.)/.test(check),
  );
  for (const { what, why, cure } of found)
    for (const text of [what, why, cure]) expect(text.length).toBeGreaterThan(10);
  return { found, checks: found.map(({ severity, check }) => `${severity} ${check}`) };
}
/** The router behind all middleware, as hosts mount it. */
const behind: BusyHostOptions = { last: (host) => host.use(oauth.router) };
/** The routers at their right places. */
const around: BusyHostOptions = {
  first: (host) => host.use(oauth.clientRouter),
  behindSession: (host) => host.use(oauth.pageRouter),
};
const pageOf =
  (html: string, ...before: RequestHandler[]): RequestHandler =>
  (req, res) =>
    void express.Router().use(...before, (_req, to) => to.send(html))(req, res, () => undefined);
const FORM = '<form method="post"><input type="password" name="p"></form>';

describe('doctor: the pages', () => {
  test('doctor reports pages before the session by the error that a client gets', async () => {
    const { found, checks } = await look({ first: (host) => host.use(oauth.router) });
    expect(checks).toContain('serious page.authorize');
    expect(found.map(({ what }) => what)).toContainEqual(expect.stringContaining('server_error'));
  });
});

describe('doctor on middleware before the endpoints of clients', () => {
  test.each<[string, BusyHostOptions, string[]]>([
    ['a CSRF check', { csrf: true }, ['serious endpoint.csrf']],
    ['a login wall', { loginWall: true }, ['serious endpoint.login-wall', 'serious page.authorize']],
    ['a list of origins', { origin: 'https://www.host.example' }, ['warning endpoint.origins']],
    ['a limit', { limit: 1000 }, ['warning endpoint.counted', 'warning endpoint.counted']],
    ['sessions for all visitors', { saveUninitialized: true }, ['warning endpoint.cookie']],
  ])(
    'doctor reports %s before oauth.router, and not with clientRouter first',
    async (_what, host, expected) => {
      // doctor cannot see metadata behind a login wall
      const wellKnown: BusyHostOptions =
        host.loginWall === true ? { behindSession: (to) => to.use(oauth.wellKnown) } : {};
      const { checks, found } = await look({ ...behind, ...wellKnown, ...host });
      expect([...new Set(checks)].sort()).toEqual([...new Set(expected)].sort());
      for (const { cure } of found) expect(cure).toMatch(/clientRouter|pageRouter/);
      expect((await look({ ...around, ...host })).checks).toEqual([]);
    },
  );

  test('doctor reports an exceeded rate limit', async () => {
    const { found } = await look({ ...behind, limit: 1 });
    expect(found).toContainEqual(
      expect.objectContaining({
        severity: 'serious',
        check: 'endpoint.limit',
        what: '/oauth/token, /oauth/revoke, /oauth/introspect: 429, and not by the authorization server',
      }),
    );
  });

  test('doctor reports a catch-all before the metadata or the endpoints', async () => {
    const page: RequestHandler = (_req, res) => void res.send('<!doctype html>');
    const { found } = await look({ last: (host) => host.use(page, oauth.router) });
    expect(found).toMatchObject([{ check: 'site.metadata', cure: expect.stringContaining('clientRouter') }]);
    const { checks } = await look({ last: (host) => host.use(oauth.wellKnown, page, oauth.router) });
    expect(checks).toEqual(['serious endpoint.catch-all', 'serious page.authorize']);
  });

  test('doctor reports a missing router, a failing site, and Basic authentication of all pages', async () => {
    const answer = (status: number) => (host: { use(handler: RequestHandler): unknown }) =>
      host.use((_req, res) => void res.status(status).end());
    for (const [status, check] of [
      [404, 'catch-all'],
      [500, 'other'],
      [401, 'login-wall'],
    ] as const)
      expect(
        (await look({ first: (host) => host.use(oauth.wellKnown), last: answer(status) })).checks,
      ).toEqual([`serious endpoint.${check}`, 'serious page.authorize']);
  });

  test('doctor reports a TLS proxy that Express does not trust', async () => {
    const forwarded: BusyHostOptions = {
      first: (host) =>
        host.use((req, _res, next) => {
          req.headers['x-forwarded-proto'] = 'https';
          next();
        }),
    };
    const { found } = await look({ ...behind, ...forwarded });
    expect(found).toMatchObject([
      { severity: 'serious', check: 'endpoint.trust-proxy', cure: expect.stringContaining("'trust proxy'") },
    ]);
    const trusting: BusyHostOptions = {
      first(host) {
        host.set('trust proxy', 'loopback');
        forwarded.first?.(host);
      },
    };
    expect((await look({ ...behind, ...trusting })).checks).toEqual([]);
  });
});

describe('doctor on the form-action of the login page', () => {
  const policy = (...formAction: string[]) =>
    helmet.contentSecurityPolicy({ directives: { formAction } }) as RequestHandler;

  test.each([
    ['form-action of helmet', ["'self'"], false],
    ['another site', ["'self'", 'https://other.example'], false],
    ['another port', ['https://print.example:8443'], false],
    ["'none'", ["'none'"], false],
    ['all of https:', ["'self'", 'https:'], true],
    ['all of http:, which includes https:', ['http:'], true],
    ['everything', ['*'], true],
    ['the origin of the client', ['https://print.example'], true],
    ['the origin with its port', ['https://print.example:443'], true],
    ['the origin without TLS, which includes TLS', ['http://print.example:80'], true],
    ['the domain of the client', ['*.example'], true],
    ['the domain in capitals', ['*.Example'], true],
  ])('doctor reports a form-action without the client’s origin: %s', async (_what, sources, isRight) => {
    const { checks, found } = await look({ ...around, login: pageOf(FORM, policy(...sources)) });
    expect(checks).toEqual(isRight ? [] : ['serious page.form-action']);
    if (!isRight) expect(found[0]?.what).toContain(`stops the way on to ${REDIRECT_URI}`);
  });

  test('doctor reads the policy of --login-page, and the narrowest of two policies', async () => {
    const named = ['--issuer', issuer, '--login-page', '/login'];
    const login = pageOf(FORM, policy("'self'"));
    expect((await look({ ...around, login }, named)).checks).toEqual(['serious page.form-action']);
    // a page that widens its policy for a waiting client is not reported because no client waits
    const widened = pageOf(FORM, policy("'self'"), oauth.loginPage);
    expect((await look({ ...around, login: widened }, named)).checks).toEqual([]);
    const both: RequestHandler = (_req, res, next) => {
      res.append('Content-Security-Policy', ['form-action https:', "form-action 'self'"]);
      next();
    };
    expect((await look({ ...around, login: pageOf(FORM, both) })).checks).toEqual([
      'serious page.form-action',
    ]);
  });

  const withBundledLogin = (options: Parameters<typeof serverOf>[0] = {}): BusyHostOptions => ({
    first: (host) => host.use(oauth.clientRouter),
    behindSession: (host) =>
      host.use(
        localLogin({
          passport: new Passport() as never,
          users: createUsers(database.connection),
          path: '/sign-in',
        }),
        serverOf({ login: '/sign-in', ...options }).pageRouter,
      ),
  });

  test('doctor reports nothing about the bundled login page', async () => {
    const bundled = withBundledLogin();
    expect((await look(bundled)).checks).toEqual([]);
    expect((await look(bundled, ['--issuer', issuer, '--login-page', '/sign-in'])).checks).toEqual([]);
  });

  test('doctor does not ask for oauth.takeReturnPath on a page of links to other logins', async () => {
    const links = '<p>Log in with <a class="button" href="/auth/google">Google</a></p>';
    expect((await look({ ...around, login: pageOf(links) })).checks).toEqual([]);
    const script = '<a href="/help">Help</a><input type="password" id="p">';
    expect((await look({ ...around, login: pageOf(script) })).checks).toEqual(['note login.script']);
  });

  test('doctor notes oauth.takeReturnPath for a login by a script', async () => {
    const { found } = await look({ ...around, login: pageOf('<div id="root"></div>') });
    expect(found).toMatchObject([
      { severity: 'note', check: 'login.script', cure: expect.stringContaining('takeReturnPath') },
    ]);
  });
});

describe('doctor on resources that a policy blocks', () => {
  const FRAME = `<link rel="stylesheet" href="https://cdn.example/bootstrap.css">
<link rel='stylesheet' href=/own.css><!-- <script src="https://old.example/x.js"></script> -->
<script src="https://cdn.example/bootstrap.js"></script><script>theme()</script>
<script type="application/json">{}</script><img src="https://images.example/logo.png">`;
  const framed = (pages = {}): BusyHostOptions => ({
    first: (host) => host.use(oauth.clientRouter),
    behindSession: (host) =>
      host.use(
        serverOf({ pages: { layout: ({ content }: { content: string }) => `${FRAME}${content}`, ...pages } })
          .pageRouter,
      ),
  });

  test('doctor prints pages.sources for a site’s layout, with which nothing is blocked', async () => {
    const { found } = await look(framed());
    expect(found).toMatchObject([{ severity: 'warning', check: 'page.blocked' }]);
    expect(found[0]?.what).toContain('https://cdn.example/bootstrap.css, https://cdn.example/bootstrap.js');
    const [, line = ''] = /pages: \{ sources: (\{ .* \}) \}$/.exec(found[0]?.cure ?? '') ?? [];
    const sources = JSON.parse(line.replace(/(\w+): /g, '"$1": ')) as Record<string, string[]>;
    expect(Object.keys(sources)).toEqual(['style', 'script', 'image']);
    expect((await look(framed({ sources }))).checks).toEqual([]);
  });

  test.each([
    ['with the policy of helmet', helmet.contentSecurityPolicy(), ['warning page.blocked']],
    [
      'with sources in the policy',
      helmet.contentSecurityPolicy({
        directives: {
          'form-action': ['https:'],
          'script-src': ["'self'", 'https://cdn.example', "'unsafe-inline'"],
          'img-src': ['https:'],
        },
      }),
      [],
    ],
    ['without a policy', ((_req, _res, next) => next()) as RequestHandler, []],
  ])('doctor reports blocked resources of a login page %s', async (_what, policy, expected) => {
    const { checks } = await look({ ...around, login: pageOf(FRAME + FORM, policy as RequestHandler) });
    expect(checks.filter((check) => check !== 'serious page.form-action')).toEqual(expected);
  });
});

describe('doctor on a login at another origin', () => {
  test.each<[string, BusyHostOptions]>([
    [
      'page',
      {
        ...around,
        behindSession: (host) => host.use(serverOf({ login: 'https://login.example/' }).pageRouter),
      },
    ],
    ['form', { ...around, login: pageOf(FORM.replace('<form', '<form action="https://login.example/s"')) }],
  ])('doctor notes a login at another origin by its %s', async (_what, host) => {
    const { found } = await look(host);
    expect(found).toMatchObject([{ severity: 'note', check: 'login.elsewhere' }]);
    expect(found[0]?.what).toContain('https://login.example');
  });
});

test('doctor reports two copies of Mongoose in a site', async () => {
  await using folder = await openFolder();
  const install = (path: string, content: object) =>
    folder.write(join(path, 'package.json'), JSON.stringify(content));
  const own = { name: 'express-authorization-server', version: '1.0.0' };
  const copiesIn = async (site: string) =>
    (await findings([], join(folder.path, site))).filter(({ check }) => check === 'mongoose.copies');
  for (const site of ['one', 'two']) {
    await install(`${site}/node_modules/mongoose`, { name: 'mongoose', version: '8.1.0' });
    await install(`${site}/node_modules/${own.name}`, own);
  }
  await install(`two/node_modules/${own.name}/node_modules/mongoose`, { name: 'mongoose', version: '9.0.0' });
  expect(await copiesIn('one')).toEqual([]);
  expect(await copiesIn('two')).toMatchObject([
    { severity: 'warning', what: expect.stringMatching(/8\.1\.0 in .*, and 9\.0\.0 in /) },
  ]);
});
