import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { NextFunction, Request, RequestHandler, Response } from 'express';

import type { Finding } from '../../lib/cli/doctor/finding.js';
import { runCli } from '../support/cli.js';
import { openDocumentServer } from '../support/client-documents.js';
import { openDatabase } from '../support/database.js';
import { openSite, type Site } from '../support/site.js';
import { fixture } from '../support/site-for.js';

let site: Site;
let mcp: string;
/** Middleware in front of a correct site that breaks it. */
let broken: RequestHandler | undefined;

const database = fixture(() => openDatabase());
const documents = fixture(() => openDocumentServer());

beforeAll(async () => {
  const port = await freePort();
  mcp = `http://127.0.0.1:${port}/mcp`;
  site = await openSiteAt(port);
});
afterEach(() => {
  broken = undefined;
});
afterAll(() => site.close());

/** The resource has a URL before the site listens, so its port is chosen first. */
async function freePort(): Promise<number> {
  const probe = await openSite({ database, issuer: 'http://127.0.0.1:1' });
  const { port } = new URL(probe.url);
  await probe.close();
  return Number(port);
}

async function openSiteAt(port: number): Promise<Site> {
  const issuer = `http://127.0.0.1:${port}`;
  const opened = await openSite({
    issuer,
    security: { rateLimits: false },
    agents: true,
    clientIdMetadataDocuments: { allowLoopback: true },
    resources: { [`${issuer}/mcp`]: { scopes: ['photos:read'] } },
    before: (app) =>
      app.use((req, res, next) => (broken === undefined ? next() : void broken(req, res, next))),
  });
  opened.app.use(
    '/mcp',
    opened.oauth.mcp({
      resource: `${issuer}/mcp`,
      scopes: ['photos:read'],
      handle: (_req, res) => res.json({}),
    }),
  );
  await new Promise<void>((resolve) => opened.server.close(() => resolve()));
  await new Promise<void>((resolve) => opened.server.listen(port, '127.0.0.1', resolve));
  return opened;
}

const run = (args: readonly string[] = []) => runCli(['doctor', '--mcp', mcp, ...args]);
async function look(args: readonly string[] = []) {
  const { stdout, stderr } = await run(['--json', '--client-document', documents.url('/none'), ...args]);
  if (stdout === '') throw new Error(stderr);
  const { findings } = JSON.parse(stdout) as { findings: Finding[] };
  for (const { what, why, cure } of findings)
    for (const text of [what, why, cure]) expect(text.length).toBeGreaterThan(10);
  return findings.filter(({ check }) => !/^(deployment|agents\.document-unread)/.test(check));
}
const checksOf = (findings: readonly Finding[]) =>
  [...new Set(findings.map(({ severity, check }) => `${severity} ${check}`))].sort();

/** Responds at one path like a broken site. */
const at =
  (path: string, answer: (req: Request, res: Response, next: NextFunction) => void): RequestHandler =>
  (req, res, next) =>
    req.path === path ? answer(req, res, next) : next();
/** Changes the JSON that the site itself sends at a path. */
const changed = (path: string, change: (body: Record<string, unknown>) => unknown): RequestHandler =>
  at(path, (_req, res, next) => {
    const send = res.send.bind(res);
    res.send = (body: unknown) => {
      res.send = send;
      return send(JSON.stringify(change(JSON.parse(String(body)) as Record<string, unknown>)));
    };
    next();
  });
const textOf = (value: unknown) => (typeof value === 'string' ? value : '');
const AS = '/.well-known/oauth-authorization-server';
const RS = '/.well-known/oauth-protected-resource/mcp';
const without = (name: string) => (body: Record<string, unknown>) => ({ ...body, [name]: undefined });

describe('doctor --mcp', () => {
  test('doctor --mcp reports nothing at a correct site, lists its steps and deletes its client', async () => {
    expect(checksOf(await look())).toEqual([]);
    const { code, stdout, stderr } = await run(['--client-document', documents.publish('/ink', {})]);
    expect([code, stdout]).toEqual([0, expect.stringContaining('Nothing unsafe was found.')]);
    for (const text of [
      `… calling ${mcp} without a token`,
      '… asking for authorization as ChatGPT',
      '… asking for authorization as Cursor',
      '… asking for authorization as 127.0.0.1',
      '… asking with offline_access as Claude',
      '… redeeming, refreshing and revoking',
    ])
      expect(stderr).toContain(text);
    expect(await site.oauth.models.Client.countDocuments()).toBe(0);
  });

  test('doctor --mcp reports a server that refuses offline_access', async () => {
    broken = at('/oauth/authorize', (req, res, next) => {
      const { scope, redirect_uri, state } = req.query as Record<string, string>;
      if (scope?.includes('offline_access') !== true) return next();
      const answer = { error: 'invalid_scope', state: state ?? '', iss: site.url };
      res.redirect(`${redirect_uri}?${new URLSearchParams(answer).toString()}`);
    });
    expect(checksOf(await look())).toEqual(['serious agents.offline-access']);
  });

  test('doctor --mcp notes that agents of SDK 1 never request the scopes of tools', async () => {
    broken = at(
      '/.well-known/oauth-protected-resource/mcp',
      (_req, res) =>
        void res.json({
          resource: mcp,
          authorization_servers: [new URL(mcp).origin],
          scopes_supported: ['photos:read', 'photos:write'],
        }),
    );
    const findings = await look();
    expect(checksOf(findings)).toContain('note agents.step-up');
    expect(findings.find(({ check }) => check === 'agents.step-up')?.what).toContain('photos:write');
  });

  test.each<[string, RequestHandler, string[]]>([
    [
      'a redirect to the path with a slash',
      at('/mcp', (_req, res) => res.redirect(308, '/mcp/')),
      ['serious agents.redirect'],
    ],
    ['a login wall', at('/mcp', (_req, res) => res.redirect('/login')), ['serious agents.redirect']],
    ['no endpoint', at('/mcp', (_req, res) => void res.status(404).end()), ['serious agents.route']],
    ['no guard', at('/mcp', (_req, res) => void res.json({ jsonrpc: '2.0' })), ['serious agents.open']],
    [
      'a CSRF check',
      at('/mcp', (_req, res) => void res.status(403).send('csrf')),
      ['serious agents.refused'],
    ],
    ['a hook that hangs up', at('/mcp', (req) => void req.socket.destroy()), ['serious agents.silent']],
    [
      '401 without a challenge',
      at(
        '/mcp',
        (_req, res) =>
          void res
            .set({ 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': '*' })
            .status(401)
            .end(),
      ),
      ['serious agents.challenge'],
    ],
    [
      'a challenge without the address of the metadata, and no CORS',
      at('/mcp', (_req, res) => void res.status(401).set('WWW-Authenticate', 'Bearer realm="x"').end()),
      ['note agents.pages', 'warning agents.challenge-metadata'],
    ],
    [
      'no metadata of the resource',
      at(RS, (_req, res) => void res.status(404).send('<!doctype html>')),
      ['serious agents.resource-metadata'],
    ],
    [
      'metadata at another path than the well-known one',
      (req, res, next) => {
        if (req.path === '/mcp')
          res.set({
            'WWW-Authenticate': `Bearer resource_metadata="${new URL('/about-mcp', mcp).href}", scope="photos:read"`,
            'Access-Control-Allow-Origin': '*',
            'Access-Control-Expose-Headers': '*',
          });
        if (req.path === '/mcp') return void res.status(401).end();
        if (req.path === RS) return void res.status(404).end();
        if (req.path === '/about-mcp') req.url = RS;
        next();
      },
      ['warning agents.well-known'],
    ],
    [
      'metadata of another resource',
      changed(RS, (body) => ({ ...body, resource: new URL('/', mcp).href })),
      ['serious agents.resource'],
    ],
    [
      'metadata without an authorization server',
      changed(RS, without('authorization_servers')),
      ['serious agents.authorization-servers'],
    ],
    [
      'no metadata of the authorization server',
      (req, res, next) =>
        /oauth-authorization-server|openid-configuration/.test(req.path)
          ? void res.status(404).end()
          : next(),
      ['serious agents.server-metadata'],
    ],
    [
      'an issuer with an additional slash',
      changed(AS, (body) => ({ ...body, issuer: `${String(body.issuer)}/` })),
      ['serious agents.answer', 'serious agents.issuer'],
    ],
    [
      'no PKCE in the metadata',
      changed(AS, without('code_challenge_methods_supported')),
      ['serious agents.pkce'],
    ],
    [
      'no public clients in the metadata',
      changed(AS, (body) => ({ ...body, token_endpoint_auth_methods_supported: ['client_secret_basic'] })),
      ['serious agents.public'],
    ],
    [
      'no refresh tokens',
      changed(AS, (body) => ({ ...body, grant_types_supported: ['authorization_code'] })),
      ['warning agents.refresh'],
    ],
    [
      'no code grant',
      changed(AS, (body) => ({ ...body, grant_types_supported: ['refresh_token'] })),
      ['serious agents.code'],
    ],
    ['no token endpoint', changed(AS, without('token_endpoint')), ['serious agents.endpoints']],
    [
      'no client documents',
      changed(AS, without('client_id_metadata_document_supported')),
      ['warning agents.documents'],
    ],
    [
      'no iss',
      changed(AS, without('authorization_response_iss_parameter_supported')),
      ['warning agents.iss'],
    ],
    [
      'no registration',
      changed(AS, without('registration_endpoint')),
      ['note agents.no-registration', 'warning agents.untried'],
    ],
    [
      'no registration and no client documents',
      changed(AS, (body) => ({
        ...body,
        registration_endpoint: undefined,
        client_id_metadata_document_supported: false,
      })),
      ['serious agents.registration', 'warning agents.untried'],
    ],
    [
      'a list of hosts before the registration',
      at(
        '/oauth/register',
        (req, res) =>
          void res
            .status(400)
            .json({ error: 'invalid_redirect_uri', error_description: `not allowed: ${req.method}` }),
      ),
      ['serious agents.redirect-uri', 'warning agents.untried'],
    ],
    [
      'a full registration',
      at('/oauth/register', (_req, res) => void res.status(503).json({ error: 'temporarily_unavailable' })),
      ['serious agents.register', 'warning agents.untried'],
    ],
    [
      'registrations without deletion',
      (req, res, next) => (req.method === 'DELETE' ? void res.status(405).end() : next()),
      ['note agents.left'],
    ],
    [
      'a login wall before the authorization endpoint',
      at('/oauth/authorize', (_req, res) => res.redirect('/login')),
      ['serious agents.request'],
    ],
    [
      'a changed iss',
      at('/oauth/authorize', (req, res) =>
        res.redirect(
          `${textOf(req.query.redirect_uri)}?error=login_required&iss=https://evil.example&state=${textOf(req.query.state)}`,
        ),
      ),
      ['serious agents.answer', 'warning agents.pkce-optional'],
    ],
    [
      'a token endpoint behind a CSRF check',
      at('/oauth/token', (_req, res) => void res.status(403).send('csrf')),
      ['serious agents.token'],
    ],
    ['no revocation', changed(AS, without('revocation_endpoint')), ['warning agents.revoke']],
    [
      'no revocation endpoint',
      at('/oauth/revoke', (_req, res) => void res.status(404).end()),
      ['warning agents.revoke'],
    ],
    ['no root endpoints', at('/token', (_req, res) => void res.status(404).end()), ['note agents.root']],
  ])('doctor --mcp reports %s', async (_what, breaking, expected) => {
    broken = breaking;
    const found = checksOf(await look());
    expect(found).toEqual(expected);
    broken = undefined;
    await site.oauth.models.Client.deleteMany({});
  });

  test('doctor --mcp with serious findings exits with 1, and prints cause and remedy', async () => {
    broken = at('/mcp', (_req, res) => res.redirect(308, '/mcp/'));
    const { code, stdout } = await run();
    expect(code).toBe(1);
    expect(stdout).toContain(
      `${mcp} answers a call without a token by a redirect (308) to /mcp/, not by 401`,
    );
    expect(stdout).toContain('→ Let the endpoint answer at exactly this URL');
  });

  test('doctor --mcp reports a resource that the server does not know', async () => {
    await using other = await openSite({
      database,
      agents: true,
      resources: { 'https://other.example': {} },
    });
    broken = changed(RS, (body) => ({ ...body, authorization_servers: [other.url] }));
    const found = (await look()).filter(({ check }) => check === 'agents.target');
    expect(found[0]?.what).toContain(`for ${mcp} with the scope photos:read is answered invalid_target`);
    expect(found[0]?.cure).toContain(`resources: { '${mcp}': {} }`);
  });

  test('doctor --mcp reports a wrong client document, and only mentions an unreadable one', async () => {
    const wrong = documents.publish('/wrong', { client_id: 'https://somebody.else.example/' });
    expect(checksOf(await look(['--client-document', wrong]))).toEqual(['serious agents.request']);
    const { stdout } = await run(['--json', '--client-document', documents.url('/gone')]);
    expect(stdout).toContain('agents.document-unread');
  });

  test.each([
    [['doctor', '--mcp', 'photos'], "'photos' is not the URL of an MCP endpoint"],
    [['doctor', '--mcp', 'http://127.0.0.1:1/mcp', '--client-document', 'ink'], "'ink' is not a URL"],
    [['doctor', '--client-document', 'https://ink.example/c'], 'whose agent is it?'],
    [['doctor'], '--mcp https://your.site/mcp for agents'],
  ])('doctor refuses %j', async (args, message) => {
    const { code, stderr } = await runCli(args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  test('doctor --mcp replaces control characters of a response', async () => {
    broken = at('/mcp', (_req, res) => void res.status(500).json({ error: '\u001b[2J\u202e' }));
    const { stdout } = await run();
    expect(stdout).toContain('500');
    for (const character of ['\u001b', '\u202e']) expect(stdout).not.toContain(character);
  });
});
