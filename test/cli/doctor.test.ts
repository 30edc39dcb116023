import type { RequestListener } from 'node:http';

import { afterAll, afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import bcrypt from 'bcrypt';
import request from 'supertest';

import { checkClock } from '../../lib/cli/doctor/database.js';
import type { Finding } from '../../lib/cli/doctor/finding.js';
import { createUsers } from '../../lib/index.js';
import { type CliOptions, runCli } from '../support/cli.js';
import { findingsOf } from '../support/findings.js';
import { openServer } from '../support/open-server.js';
import { exitWith } from '../support/refusal.js';
import { openSite, type Site, type SiteOptions } from '../support/site.js';
import { obtainTokens } from '../support/tokens.js';

describe('express-authorization-server doctor', () => {
  let site: Site;
  const open = async (options?: SiteOptions) => {
    await site?.close();
    site = await openSite(options);
  };
  const examine = async (args: string[] = [], options: CliOptions = {}) => {
    const { code, stdout, stderr } = await runCli(['doctor', '--json', ...args], {
      uri: site.database.uri,
      ...options,
    });
    if (stdout === '') throw new Error(stderr);
    const { findings } = JSON.parse(stdout) as { findings: Finding[] };
    return {
      code,
      findings,
      checks: findings
        .filter(({ severity }) => severity !== 'note')
        .map(({ check, severity }) => `${severity} ${check}`),
    };
  };
  const collection = (name: string) => site.database.collection<{ _id: string }>(name);

  beforeEach(() => open());
  afterEach(() => site.close().then(() => void (site = undefined as never)));

  test('doctor reports nothing in a database of the site', async () => {
    await obtainTokens(site, await site.client());
    expect(await examine()).toMatchObject({ code: 0, checks: [] });
    expect((await runCli(['doctor'], { uri: site.database.uri })).stdout).not.toContain('serious ');
  });

  test('doctor reports an empty database', async () => {
    const uri = site.database.uri.replace(/\/test_/, '/empty_');
    expect((await examine([], { uri })).checks).toEqual(['serious database.empty']);
  });

  test('doctor reports missing and wrong indexes', async () => {
    await collection('oauth_grants').dropIndex('expiresAt_1');
    await collection('oauth_grants').dropIndex('clientId_1_createdAt_-1');
    await collection('oauth_clients').dropIndex('ownerId_1');
    await collection('oauth_consents').dropIndex('userId_1_clientId_1');
    await collection('oauth_consents').createIndex({ userId: 1, clientId: 1 });
    const { code, findings, checks } = await examine();
    expect(code).toBe(1);
    expect([...new Set(checks)]).toEqual([
      'serious index.ttl',
      'serious index.unique',
      'warning index.plain',
    ]);
    // the reason fits any collection, so it mentions no use of one
    const whys = findings.filter(({ check }) => check === 'index.plain').map(({ why }) => why);
    expect(whys).toEqual(
      Array(2).fill('Without it, whatever looks for these fields reads the whole collection.'),
    );
    expect(findings.map(({ what }) => what)).toContain(
      'the index on userId, clientId of oauth_consents is not unique',
    );
    for (const { what, why, cure } of findings)
      for (const text of [what, why, cure]) expect(text.length).toBeGreaterThan(10);
    expect((await collection('oauth_grants').indexes()).map(({ name }) => name)).not.toContain('expiresAt_1');
  });

  test('doctor does not report the index of users before the first user', async () => {
    await createUsers(site.database.connection).findById('nobody');
    await site.database.connection.createCollection('oauth_users');
    expect((await examine()).findings.map(({ what }) => what).join()).not.toContain('oauth_users');
  });

  test('doctor reports the missing index of users with its remedy', async () => {
    await createUsers(site.database.connection, { rounds: 4 }).create({
      username: 'ada',
      password: 'of the test',
    });
    await collection('oauth_users').dropIndex('usernameKey_1');
    const { findings } = await examine();
    expect(findings).toContainEqual(
      expect.objectContaining({
        severity: 'serious',
        check: 'index.unique',
        what: 'the index on usernameKey of oauth_users is missing',
        cure: expect.stringContaining('users.create('),
      }),
    );
  });

  test('doctor reports a TTL index with a wrong time', async () => {
    await collection('oauth_grants').dropIndex('expiresAt_1');
    await collection('oauth_grants').createIndex({ expiresAt: 1 }, { expireAfterSeconds: 999_999 });
    expect((await examine()).findings.map(({ what }) => what)).toContain(
      'the index on expiresAt of oauth_grants is wrong expireAfterSeconds',
    );
  });

  test.each([
    ['oauth_grants', 'expiresAt'],
    ['oauth_limits', 'expire'],
  ])('doctor reports documents that expired long ago: %s', async (name, field) => {
    await collection(name).dropIndex(`${field}_1`);
    await collection(name).insertOne({ _id: 'old', [field]: new Date(Date.now() - 7_200_000) });
    expect((await examine()).findings.map(({ what }) => what)).toContain(
      `1 documents of ${name} expired more than an hour ago and are still there`,
    );
  });

  test('doctor reports clocks that differ', async () => {
    const now = Date.now.bind(Date);
    const late = jest.spyOn(Date, 'now').mockImplementation(() => now() - 60_000);
    const { code, findings } = await examine().finally(() => late.mockRestore());
    expect(code).toBe(1);
    expect(findings.find(({ check }) => check === 'clock.apart')).toMatchObject({
      severity: 'serious',
      what: expect.stringMatching(/(59|60|61) seconds ahead/),
    });
    const clocks = [200, -4000, 40_000].map((difference) =>
      findingsOf((report) => checkClock(report, difference)),
    );
    expect((await Promise.all(clocks)).map((found) => found.map(({ severity }) => severity))).toEqual([
      [],
      ['warning'],
      ['serious'],
    ]);
  });

  test('doctor reports redirect URIs without TLS and with wildcards', async () => {
    const { clientId } = await site.client();
    await collection('oauth_clients').updateOne(
      { _id: clientId },
      {
        $set: {
          redirectUris: ['http://print.example/cb', 'https://*.print.example/cb', 'http://127.0.0.1/cb'],
        },
      },
    );
    expect((await examine()).checks).toEqual(['serious client.http-redirect', 'serious client.redirect']);
  });

  test('doctor reports trusted public clients, public client_credentials and old grant types', async () => {
    const { clientId } = await site.client({ type: 'public', trusted: true });
    await collection('oauth_clients').updateOne(
      { _id: clientId },
      { $set: { grantTypes: ['implicit', 'password', 'client_credentials'] } },
    );
    expect((await examine()).checks.sort()).toEqual([
      'serious client.public-credentials',
      'warning client.implicit',
      'warning client.password',
      'warning client.trusted-public',
    ]);
  });

  test('doctor reports client fields that could not be registered', async () => {
    const { clientId } = await site.client();
    await collection('oauth_clients').updateOne(
      { _id: clientId },
      { $set: { accessTokenTtl: -1, jwksUri: 'ftp://print.example/jwks' } },
    );
    expect((await examine()).checks.sort()).toEqual([
      'warning client.accessTokenTtl',
      'warning client.jwksUri',
    ]);
  });

  test('doctor reports chosen, guessable and cheaply hashed secrets', async () => {
    await site.client({ clientSecret: 'long, but a person wrote it' });
    // registration refuses such a secret; a script may have stored it
    await site.client({ clientId: 'gallery', name: 'Gallery' });
    await collection('oauth_clients').updateOne(
      { _id: 'gallery' },
      {
        $set: {
          secrets: [{ hash: await bcrypt.hash('gallery', 10), algorithm: 'bcrypt', createdAt: new Date() }],
        },
      },
    );
    const cheap = await site.client();
    await collection('oauth_clients').updateOne(
      { _id: cheap.clientId },
      {
        $set: {
          secrets: [
            { hash: await bcrypt.hash('some words here', 4), algorithm: 'bcrypt', createdAt: new Date() },
          ],
        },
      },
    );
    const { code, findings, checks } = await examine();
    expect(code).toBe(1);
    expect(checks).toEqual([
      'serious client.guessed-secret',
      'warning client.chosen-secret',
      'warning client.chosen-secret',
    ]);
    expect(findings[0]?.what).toContain('client gallery (Gallery)');
    expect(findings.some(({ what }) => what.includes('fewer than 10 rounds'))).toBe(true);
  });

  test('doctor --issuer reports headers that the login page lacks', async () => {
    await site.client();
    // the test's site has no helmet, and a login page without a CSRF token, so no cookie before the login
    const { checks, findings } = await examine(['--issuer', site.url]);
    expect(checks).toEqual(['serious page.framing', 'warning page.nosniff', 'warning page.referrer']);
    const notes = findings.filter(({ severity }) => severity === 'note').map(({ check }) => check);
    expect(notes.filter((check) => check !== 'deployment.standalone')).toEqual([
      'site.http',
      'cookie.unseen',
    ]);
  });

  test('doctor --issuer reports old grant types of the site', async () => {
    await open({ grantTypes: ['authorization_code', 'implicit', 'password'] });
    expect((await examine(['--issuer', site.url])).checks).toEqual(
      expect.arrayContaining(['warning site.implicit', 'warning site.password']),
    );
  });

  test('doctor --issuer reports public clients without required PKCE', async () => {
    await site.client({ type: 'public' });
    expect((await examine(['--issuer', site.url])).checks).not.toContain('warning site.pkce-optional');
    await open({ security: { pkce: 'optional' } });
    const { clientId } = await site.client({ type: 'public' });
    const { findings } = await examine(['--issuer', site.url]);
    expect(findings.find(({ check }) => check === 'site.pkce-optional')).toMatchObject({
      severity: 'warning',
      what: expect.stringContaining(clientId),
      cure: expect.stringContaining("pkce: 'optional'"),
    });
  });

  test('doctor lists and counts clients that agents: true may exclude, without agents', async () => {
    const resources = { 'https://api.photos.example': {} };
    const openid = { claims: () => ({}) };
    const shutOut = async () => {
      const shop = await site.client({ name: 'Shop', scopes: ['photos:read'] });
      const reader = await site.client({ name: 'Reader', scopes: ['openid', 'email'] });
      await site.client({ name: 'Phone', type: 'public', scopes: ['openid'] });
      await site.client({ name: 'Careful', scopes: ['openid'], pkce: 'all' });
      const { findings } = await examine(['--issuer', site.url]);
      const { stdout } = await runCli(['doctor', '--issuer', site.url], { uri: site.database.uri });
      const found = findings.filter(({ check }) => check.endsWith('-required'));
      const names = found.map(({ severity, check, client }) => [severity, check, client?.name]);
      return { shop, reader, names, stdout };
    };
    await open({ resources, openid });
    expect((await shutOut()).names).toEqual([]);
    await open({ resources, openid, agents: true });
    const { body } = await request(site.server)
      .post('/oauth/register')
      .send({ client_name: 'Agent', redirect_uris: ['https://agent.example/cb'] });
    expect(body.client_id).toBeDefined();
    const { shop, reader, names, stdout } = await shutOut();
    expect(names.sort()).toEqual([
      ['note', 'client.pkce-required', 'Reader'],
      ['note', 'client.pkce-required', 'Shop'],
      ['note', 'client.resource-required', 'Shop'],
    ]);
    expect(stdout).toContain('each of 2 clients has a secret, and has to use PKCE all the same:');
    for (const { clientId } of [shop, reader]) expect(stdout).toContain(clientId);
  });

  test('doctor --issuer reports another issuer and an unreachable site', async () => {
    expect((await examine(['--issuer', site.url.replace('127.0.0.1', 'localhost')])).checks).toContain(
      'serious site.issuer',
    );
    const { code, checks } = await examine(['--issuer', 'http://127.0.0.1:1']);
    expect({ code, checks }).toEqual({ code: 1, checks: ['serious site.metadata'] });
  });

  test('doctor without a database and a site says how to pass them', async () => {
    expect(await runCli(['doctor'])).toMatchObject(exitWith(2, 'MONGODB_URI'));
    expect(await runCli(['doctor', '--issuer', 'photos.example'])).toMatchObject(exitWith(2, 'https://'));
  });
});

describe('doctor --issuer without a database', () => {
  const servers: { close(): void }[] = [];
  afterAll(() => servers.forEach((server) => server.close()));

  async function serve(listener: RequestListener): Promise<string> {
    const server = await openServer(listener);
    servers.push(server);
    return server.url;
  }

  /** A site with most faults, and this login page. */
  const serveWith = (page: RequestListener) =>
    serve((req, res) => {
      if (req.url?.startsWith('/.well-known') !== true) return void page(req, res);
      const issuer = `http://${req.headers.host ?? ''}`;
      res.setHeader('Content-Type', 'application/json').end(
        JSON.stringify({
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: 'http://photos.example/token',
          code_challenge_methods_supported: ['plain'],
        }),
      );
    });

  async function findingsAt(url: string, page = '/login') {
    const { code, stdout } = await runCli(['doctor', '--json', '--issuer', url, '--login-page', page]);
    return { code, findings: (JSON.parse(stdout) as { findings: Finding[] }).findings };
  }

  test('doctor reports cookies without flags, CORS on a page, no TLS and no PKCE', async () => {
    const url = await serveWith((_req, res) => {
      res
        .setHeader('Set-Cookie', 'sid=1; Path=/')
        .setHeader('Access-Control-Allow-Origin', '*')
        .setHeader('X-Frame-Options', 'DENY')
        .end('<form></form>');
    });
    const { code, findings } = await findingsAt(url);
    expect(code).toBe(1);
    const checks = findings.map(({ check }) => check);
    expect(checks).toEqual(
      expect.arrayContaining([
        'cookie.httponly',
        'cookie.samesite',
        'page.cors',
        'site.endpoint',
        'site.pkce',
        'site.pkce-plain',
        'site.iss',
      ]),
    );
    expect(checks).not.toContain('page.framing');
  });

  test.each<[string, Record<string, string>, string[]]>([
    ['gets no CORS header', {}, []],
    ['gets no credentials', { 'Access-Control-Allow-Origin': '*' }, ['warning page.cors']],
    [
      'gets credentials beside a wildcard',
      { 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Credentials': 'true' },
      ['warning page.cors'],
    ],
    [
      'gets credentials',
      { 'Access-Control-Allow-Origin': 'ORIGIN', 'Access-Control-Allow-Credentials': 'true' },
      ['serious page.cors'],
    ],
  ])('a script of another site at the login page %s', async (_what, headers, desired) => {
    const url = await serveWith((req, res) => {
      for (const [name, value] of Object.entries(headers))
        if (value !== 'ORIGIN') res.setHeader(name, value);
        else if (req.headers.origin !== undefined) res.setHeader(name, req.headers.origin);
      res.end('<form></form>');
    });
    const found = (await findingsAt(url)).findings.filter(({ check }) => check === 'page.cors');
    expect(found.map(({ severity, check }) => `${severity} ${check}`)).toEqual(desired);
    for (const { cure } of found) expect(cure).toMatch(/^Move app\.use\(oauth\.router\).* before cors\(\)\./);
  });

  test('the remedy for a missing header is this header, and no policy that stops scripts', async () => {
    const url = await serveWith((req, res) => {
      if (req.url?.endsWith('=policy') === true)
        res
          .setHeader('Content-Security-Policy', 'frame-ancestors *')
          .setHeader('Referrer-Policy', 'unsafe-url');
      res.end('<form></form><script>theme()</script>');
    });
    const curesAt = async (page: string) =>
      Object.fromEntries((await findingsAt(url, page)).findings.map(({ check, cure }) => [check, cure]));
    const cures = await curesAt('/login');
    expect(cures['page.framing']).toContain('oauth.loginPage');
    expect(cures['page.framing']).toContain("res.set('X-Frame-Options', 'SAMEORIGIN')");
    expect(cures['page.nosniff']).toContain("res.set('X-Content-Type-Options', 'nosniff')");
    expect(cures['page.referrer']).toContain("res.set('Referrer-Policy', 'strict-origin-when-cross-origin')");
    const ofPolicy = await curesAt('/login?by=policy');
    expect(ofPolicy['page.framing']).toContain("frame-ancestors 'self'");
    expect(ofPolicy['page.referrer']).toContain('in the place of unsafe-url');
    expect(JSON.stringify([cures, ofPolicy])).not.toContain('helmet()');
  });

  test.each<[string, Record<string, string>, string[]]>([
    ['nothing', {}, ['page.framing', 'page.referrer']],
    ['frames of this site', { 'X-Frame-Options': 'SAMEORIGIN' }, ['page.referrer']],
    [
      'frames by an obsolete header',
      { 'X-Frame-Options': 'ALLOW-FROM https://a.example' },
      ['page.framing', 'page.referrer'],
    ],
    [
      'frames of one site',
      { 'Content-Security-Policy': 'frame-ancestors https://a.example' },
      ['page.referrer'],
    ],
    [
      'frames of any site',
      { 'Content-Security-Policy': "default-src 'self'; frame-ancestors *" },
      ['page.framing', 'page.referrer'],
    ],
    [
      'frames of any site with TLS',
      { 'Content-Security-Policy': 'frame-ancestors https:' },
      ['page.framing', 'page.referrer'],
    ],
    [
      'frames of any site by the effective policy',
      { 'Content-Security-Policy': 'frame-ancestors *', 'X-Frame-Options': 'DENY' },
      ['page.framing', 'page.referrer'],
    ],
    [
      'two policies',
      { 'Content-Security-Policy': "frame-ancestors *, frame-ancestors 'none'" },
      ['page.referrer'],
    ],
    [
      'the whole address',
      { 'Referrer-Policy': 'no-referrer-when-downgrade' },
      ['page.framing', 'page.referrer'],
    ],
    [
      'the whole address, even without TLS',
      { 'Referrer-Policy': 'no-referrer, unsafe-url' },
      ['page.framing', 'page.referrer'],
    ],
    ['the origin', { 'Referrer-Policy': 'Strict-Origin-When-Cross-Origin' }, ['page.framing']],
    [
      'an unknown referrer policy after a known one',
      { 'Referrer-Policy': 'no-referrer, brand-new' },
      ['page.framing'],
    ],
  ])('doctor checks a login page whose headers allow %s', async (_what, headers, desired) => {
    const url = await serveWith((_req, res) => {
      for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
      res.end('<form></form>');
    });
    const checks = (await findingsAt(url)).findings.map(({ check }) => check);
    expect(checks.filter((check) => /framing|referrer/.test(check))).toEqual(desired);
  });

  test('doctor prints the fact, the reason and the remedy, and no colours in a pipe', async () => {
    const url = await serve((_req, res) => res.writeHead(404).end());
    const { code, stdout } = await runCli(['doctor', '--issuer', url]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^serious {2}the site has no metadata[^]*answers 404[^]*→ Is it running/);
    expect(stdout).toContain('1 serious, 0 warnings, 0 notes');
    expect(stdout).not.toContain('\u001b');
    const seen = await runCli(['doctor', '--issuer', url], { isTerminal: true });
    expect(seen.stdout).toContain('\u001b');
    const plain = await runCli(['doctor', '--issuer', url], { isTerminal: true, env: { NO_COLOR: '1' } });
    expect(plain.stdout).toBe(stdout);
  });
});
