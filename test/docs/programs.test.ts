import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { basename, join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import bcrypt from 'bcrypt';
import express from 'express';
import { Passport } from 'passport';
import swaggerUi from 'swagger-ui-express';

import { authorizationServer, type ExtensionGrantType } from '../../lib/index.js';
import { findFreePorts } from '../interop/support/example.js';
import { createVisitor, type VisitedPage } from '../package/visitor.js';
import { openDatabase } from '../support/database.js';
import { INSIDE, openFolder } from '../support/folder.js';
import { createPerson } from '../support/person.js';
import { openSite } from '../support/site.js';
import { fixture } from '../support/site-for.js';
import { postToken, tokenRequest } from '../support/tokens.js';
import { until } from '../support/until.js';
import { type Block, blocks, documents, fileText, register } from './blocks.js';
import { runPiece } from './pieces.js';

/** Made from a copy of views/consent.ejs, as docs/pages.md says. */
const OWN_CONSENT = `<%- include('partials/top', { title, layout: 'narrow', nav: '' }) %>
<h1><%= clientName %> asks</h1>
<p>You are <%= userName %>. <% if (locals.device) { %>Does your device show <%= device.userCode %>?<% } else { %>Whatever you choose, you go on to <%= clientHost %>.<% } %></p>
<form id="consent-form" method="post" action="<%= action %>">
  <input type="hidden" name="csrf_token" value="<%= csrfToken %>">
  <% for (const [name, value] of Object.entries(fields)) { %><input type="hidden" name="<%= name %>" value="<%= value %>"><% } %>
  <% for (const { scope, description, isTicked } of groups.flatMap(({ scopes }) => scopes).filter(({ isRequested }) => isRequested)) { %>
  <label><input type="checkbox" name="granted_scope" value="<%= carry(scope) %>"<% if (isTicked) { %> checked<% } %>> <%= description %></label>
  <% } %>
  <button id="consent-deny" name="decision" value="deny">Deny</button>
  <button id="consent-allow" name="decision" value="allow">Allow</button>
</form>
<%- include('partials/bottom', { person: '' }) %>
`;

describe('the programs in the documents', () => {
  const redirectUri = 'https://print.example/callback';
  const running: { stop(): Promise<unknown> }[] = [];
  const database = fixture(() => openDatabase());
  // inside the package, which resolves by its name here (.ci/run installs it as a host's dependency)
  const folder = fixture(() => openFolder({}, INSIDE));

  beforeAll(() => {
    // the documents contain no secrets
    process.env.KEY_SECRET = 'of the test, with its 32 characters';
    process.env.PAIRWISE_SALT = 'a salt of the test, of 32 characters';
    process.env.WEBHOOK_SECRET = `whsec_${randomBytes(32).toString('base64')}`;
  });
  afterAll(async () => {
    for (const part of running) await part.stop();
  });

  /** Runs a program of a document, on a free port. */
  async function run(
    name: string,
    port: number,
    environment: Readonly<Record<string, string>> = {},
    text = fileText(name),
  ) {
    await folder.write(name, text.replaceAll('3000', String(port)));
    const child = spawn(process.execPath, [name], {
      cwd: folder.path,
      env: { ...process.env, MONGODB_URI: database.uri, SESSION_SECRET: 'of the test', ...environment },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    const ended = once(child, 'exit') as Promise<[number | null]>;
    const stop = () => (child.kill(), ended);
    return { child, ended, stop };
  }

  async function startSite(
    name: string,
    environment?: (url: string) => Readonly<Record<string, string>>,
  ): Promise<string> {
    const [port] = (await findFreePorts(1)) as [number];
    const url = `http://localhost:${port}`;
    const site = await run(name, port, environment?.(url));
    running.push(site);
    await until(async () => (await isListening(port)) || site.child.exitCode !== null);
    if (site.child.exitCode !== null) throw new Error(`${name} has ended with ${site.child.exitCode}`);
    return url;
  }

  /** The first steps at a site: log in, register an application, allow it, get a token, call the API. */
  async function useSite(
    url: string,
    credentials: { username: string; password: string },
  ): Promise<{ login: VisitedPage; photosOf: string }> {
    const visitor = createVisitor({ stopAt: redirectUri });
    const login = await visitor.open(`${url}/oauth/applications/new`);
    expect(login.url.pathname).toBe('/login');
    const { clientId, clientSecret } = await register(
      visitor,
      await visitor.submit(login, credentials),
      redirectUri,
    );
    const consent = await visitor.open(
      `${url}/oauth/authorize?response_type=code&client_id=${clientId}&state=xyz`,
    );
    const back = await visitor.submit(consent, { decision: 'allow' }, 'consent-form');
    expect(back.url.searchParams.get('state')).toBe('xyz');
    const body = new URLSearchParams({
      grant_type: 'authorization_code',
      code: back.url.searchParams.get('code') ?? '',
    });
    const response = await fetch(`${url}/oauth/token`, {
      method: 'POST',
      headers: { Authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
      body,
    });
    expect(response.status).toBe(200);
    const { access_token: token } = (await response.json()) as { access_token: string };
    const api = await fetch(`${url}/api/photos`, { headers: { Authorization: `Bearer ${token}` } });
    expect(api.status).toBe(200);
    const refused = await fetch(`${url}/api/photos`);
    expect([refused.status, refused.headers.get('content-type')]).toEqual([
      401,
      'application/json;charset=UTF-8',
    ]);
    return { login, photosOf: ((await api.json()) as { photosOf: string }).photosOf };
  }

  test('the site step by step has a login whose form may lead to clients', async () => {
    const { insertedId } = await database
      .collection('users')
      .insertOne({ username: 'grace', passwordHash: await bcrypt.hash('nanoseconds', 4) });
    const url = await startSite('server.mjs', (issuer) => ({ ISSUER: issuer, PORT: new URL(issuer).port }));
    const { photosOf } = await useSite(url, { username: 'grace', password: 'nanoseconds' });
    expect(photosOf).toBe(insertedId.toHexString());
    const { _id: clientId } = (await database.collection('oauth_clients').findOne())!;
    const request = `/oauth/authorize?${new URLSearchParams({ response_type: 'code', client_id: String(clientId) }).toString()}`;
    const login = `${url}/login?${new URLSearchParams({ return_to: request }).toString()}`;
    const policy = (await fetch(login)).headers.get('content-security-policy');
    expect(policy).toMatch(/(^|;)form-action 'self' http[^ ;]+(;|$)/);
  });

  test('the API in another process accepts tokens for it, and no others', async () => {
    const [port, printPort] = (await findFreePorts(2)) as [number, number];
    const albumsApi = `http://localhost:${port}`;
    const resources = {
      ALBUMS_API: albumsApi,
      PRINT_API: `http://localhost:${printPort}`,
      KEY_SECRET: 'of the test, with its 32 characters',
    };
    const issuer = await startSite('photos-site.mjs', (url) => ({
      ...resources,
      ISSUER: url,
      PORT: new URL(url).port,
    }));
    const api = await run('albums-api.mjs', port, { ...resources, ISSUER: issuer, PORT: String(port) });
    running.push(api);
    await until(() => isListening(port));
    const { clients } = authorizationServer({
      issuer,
      connection: database.connection,
      scopes: { 'photos:read': 'See your photos', 'albums:read': 'See your albums' },
      login: '/login',
    });
    const { clientId, clientSecret } = await clients.create({
      name: 'Album viewer',
      grantTypes: ['client_credentials'],
    });
    const callWithTokenFor = async (resource: string) => {
      const body = new URLSearchParams({ grant_type: 'client_credentials', resource });
      const response = await fetch(`${issuer}/oauth/token`, {
        method: 'POST',
        headers: { Authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
        body,
      });
      const { access_token: token } = (await response.json()) as { access_token: string };
      return fetch(`${albumsApi}/albums`, { headers: { Authorization: `Bearer ${token}` } });
    };
    expect(await (await callWithTokenFor(albumsApi)).json()).toEqual({ albumsOf: clientId });
    const refused = await callWithTokenFor(resources.PRINT_API);
    expect([refused.status, ((await refused.json()) as { error: string }).error]).toEqual([
      401,
      'invalid_token',
    ]);
    expect((await fetch(`${albumsApi}/albums`)).headers.get('www-authenticate')).toContain(
      `resource_metadata="${albumsApi}/.well-known/oauth-protected-resource"`,
    );
  });

  test('the MCP server leads a client to the authorization server, which registers it', async () => {
    const issuer = await startSite('mcp-site.mjs', (url) => ({ ISSUER: url, PORT: new URL(url).port }));
    const initialize = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
    };
    const refused = await fetch(`${issuer}/mcp`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(initialize),
    });
    expect(refused.status).toBe(401);
    const [, metadataUrl = ''] =
      /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '') ?? [];
    const resource = (await (await fetch(metadataUrl)).json()) as {
      resource: string;
      authorization_servers: string[];
    };
    expect(resource).toMatchObject({ resource: `${issuer}/mcp`, authorization_servers: [issuer] });
    const metadata = (await (await fetch(`${issuer}/.well-known/oauth-authorization-server`)).json()) as {
      registration_endpoint: string;
    };
    const registration = await fetch(metadata.registration_endpoint, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        client_name: 'Agent',
        redirect_uris: ['http://127.0.0.1:9/callback'],
        token_endpoint_auth_method: 'none',
      }),
    });
    expect(registration.status).toBe(201);
  });

  test('the programs for client keys and for telemetry work', async () => {
    const site = await openSite();
    running.push({ stop: () => site.close() });
    const load = async (name: string) => {
      await folder.write(name, fileText(name));
      return (await import(join(folder.path, name))) as Record<string, never>;
    };
    const { register: registerClients } = (await load('keys-of-clients.mjs')) as unknown as {
      register: (oauth: unknown) => Promise<{ tokenEndpointAuthMethod: string }[]>;
    };
    expect(
      (await registerClients(site.oauth)).map(({ tokenEndpointAuthMethod }) => tokenEndpointAuthMethod),
    ).toEqual(['private_key_jwt', 'private_key_jwt']);
    const options = { issuer: site.url, connection: site.database.connection, scopes: {}, login: '/login' };
    const telemetry = await load('telemetry.mjs');
    expect(Object.keys(telemetry)).toHaveLength(1);
    expect(() => authorizationServer({ ...options, ...telemetry })).not.toThrow();
  });

  test('the receiver of webhooks accepts signed requests only', async () => {
    const [port] = (await findFreePorts(1)) as [number];
    const secret = `whsec_${randomBytes(32).toString('base64')}`;
    const receiver = await run('webhook-receiver.mjs', port, { PORT: String(port), WEBHOOK_SECRET: secret });
    running.push(receiver);
    await until(() => isListening(port));
    const url = `http://127.0.0.1:${port}/oauth`;
    const webhooks = [{ url, secret, events: ['client.created'], allowPrivateAddresses: true }];
    const site = await openSite({ webhooks });
    running.push({ stop: () => site.close() });
    await site.client();
    await until(async () => (await site.oauth.webhooks.list()).length === 0);
    expect(site.errors).toEqual([]);
    expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(400);
    await site.oauth.close();
  });

  test('the site’s grant type for gift cards gives one token, and a reason for the refusal', async () => {
    await folder.write(
      'gift-card.mjs',
      fileText('gift-card.mjs').replace('express-authorization-server', '../../lib/index.js'),
    );
    const { giftCard } = (await import(join(folder.path, 'gift-card.mjs'))) as {
      giftCard: ExtensionGrantType;
    };
    const site = await openSite({ grantTypes: [giftCard] });
    running.push({ stop: () => site.close() });
    const client = await site.client({ grantTypes: [giftCard.grantType] });
    const present = () =>
      tokenRequest(site, client, { grant_type: giftCard.grantType, gift_card: 'GIFT-CARD-FROM-ADA' });
    expect((await present()).status).toBe(200);
    expect((await present()).body).toEqual({
      error: 'invalid_grant',
      error_description: 'the gift card is unknown or was used already',
    });
  });

  test('the helper for tests gets tokens through the consent page, by the cookies of a login', async () => {
    const text = fileText('consent.cjs').replace('correct horse', 'password of ada');
    await folder.write('consent.cjs', text);
    const { default: tokensFor } = (await import(join(folder.path, 'consent.cjs'))) as {
      default: (site: string, clientId: string, redirectUri: string) => Promise<Record<string, unknown>>;
    };
    const site = await openSite();
    running.push({ stop: () => site.close() });
    const { clientId } = await site.client({ type: 'public', redirectUris: [redirectUri] });
    const tokens = await tokensFor(site.url, clientId, redirectUri);
    expect(tokens).toMatchObject({ access_token: expect.stringMatching(/^eas_at_/) });
  });

  test('a host’s consent page with the partials of the package lets a person allow', async () => {
    await folder.write('consent.ejs', OWN_CONSENT);
    const site = await openSite({ pages: { views: folder.path } });
    running.push({ stop: () => site.close() });
    const client = await site.client();
    const person = createPerson(site);
    await person.logIn();
    const page = await person.openAuthorize({ response_type: 'code', client_id: client.clientId });
    expect(page.text).toContain('<h1>Printing shop asks</h1>');
    expect(page.text).toContain('rel="stylesheet"');
    const back = await person.authorize(
      { response_type: 'code', client_id: client.clientId },
      { scopes: ['photos:read'] },
    );
    const token = await postToken(site, {
      grant_type: 'authorization_code',
      code: back.searchParams.get('code') ?? '',
      client_id: client.clientId,
      client_secret: client.clientSecret,
    });
    expect(token.body.scope).toBe('photos:read');
  });

  const pieces = blocks.filter(({ language, file }) => language === 'js' && file === undefined);

  test.each(documents.filter((document) => pieces.some((piece) => piece.document === document)))(
    'every other piece of JavaScript in %s runs',
    (document) =>
      runPieces(
        document,
        pieces.filter((piece) => piece.document === document),
      ),
  );

  /** Runs them one after the other; later pieces can use the declarations of earlier ones. */
  async function runPieces(document: string, pieces: readonly Block[]): Promise<void> {
    const authentication = () => ({ at: Date.now(), acr: 'mfa' });
    const site = await openSite({ stepUp: { acrValues: ['mfa'] }, people: { authentication } });
    running.push({ stop: () => site.close() });
    const route = () => undefined;
    const { connection } = site.database;
    const options = { issuer: site.url, connection, scopes: {}, login: '/login' };
    let known: Record<string, unknown> = {
      app: site.app,
      oauth: site.oauth,
      connection,
      authorizationServer,
      options,
      clientId: (await site.client()).clientId,
      addPhoto: route,
      deleteAccount: route,
      req: { auth: { signal: AbortSignal.abort() } },
      res: { end: route },
      showAlbums: route,
      showNews: route,
      showLogin: route,
      passport: new Passport(),
      express,
      server: site.server,
      swaggerUi,
    };
    for (const [index, { text }] of pieces.entries())
      known = await runPiece(join(folder.path, `${basename(document, '.md')}-${index}.mjs`), text, known);
    if (pieces.some(({ text }) => text.includes('clientSecret }')))
      expect(known).toMatchObject({ clientSecret: expect.stringMatching(/^eas_cs_/) });
  }
});

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, 'localhost');
  return once(socket, 'connect')
    .then(
      () => true,
      () => false,
    )
    .finally(() => socket.destroy());
}
