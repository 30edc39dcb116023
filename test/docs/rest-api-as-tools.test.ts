import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import { Validator } from '@seriousme/openapi-schema-validator';
import type { ZodType } from 'zod';

import { createUsers } from '../../lib/index.js';
import { findFreePorts } from '../interop/support/example.js';
import { McpProvider } from '../interop/support/mcp-provider.js';
import { createVisitor, type VisitedPage } from '../package/visitor.js';
import { runCli } from '../support/cli.js';
import { openDatabase } from '../support/database.js';
import { fixture } from '../support/site-for.js';
import { until } from '../support/until.js';
import { fileText, root } from './blocks.js';

const CALLBACK = 'http://127.0.0.1:7777/callback';
const PERSON = { username: 'ada', password: 'correct horse' };
const FILES = ['operations.mjs', 'tools-site.mjs', 'row-of.mjs', 'mcp-server.mjs'];
const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';

/** The fields of the document's operations that the test reads. */
interface Operation {
  readonly description: string;
  readonly scopes: readonly string[];
  readonly annotations: object;
  readonly input: ZodType;
}

/** An additional operation, which fails like a database. */
const withFailing = (text: string) =>
  text.replace(
    'export const operations = {',
    `$&
  fail: {
    description: 'Fails.',
    scopes: [],
    annotations: {},
    input: z.object({}),
    run: () => Promise.reject(new Error('cannot reach mongodb.internal')),
  },`,
  );

/** The MCP server in another process, with its targets. */
const withRemoteTools = (text: string) =>
  text.replace(
    "resources: { [mcpUrl]: { name: 'Photos for assistants' } },",
    `resources: { [mcpUrl]: { name: 'Photos for assistants' }, [process.env.REMOTE_URL]: { name: 'Elsewhere' } },
  tokenExchange: { targets: { [process.env.REMOTE_URL]: [issuer] } },`,
  );

let folder: string;
let site: ChildProcess;
let remote: ChildProcess;
let issuer: string;
let remoteUrl: string;
/** The errors that the site has printed. */
let printed = '';
let operations: Readonly<Record<string, Operation>>;

const database = fixture(() => openDatabase());
beforeAll(async () => {
  await createUsers(database.connection, { rounds: 4 }).create(PERSON);
  await mkdir(join(root, 'test-artifacts'), { recursive: true });
  folder = await mkdtemp(join(root, 'test-artifacts', 'tools-'));
  for (const name of FILES) await writeFile(join(folder, name), withRemoteTools(withFailing(fileText(name))));
  const [port, remotePort] = (await findFreePorts(2)) as [number, number];
  issuer = `http://localhost:${port}`;
  remoteUrl = `http://localhost:${remotePort}/mcp`;
  const variables = {
    ISSUER: issuer,
    PORT: String(port),
    MONGODB_URI: database.uri,
    SESSION_SECRET: 'of the test',
    REMOTE_URL: remoteUrl,
  };
  site = await start('tools-site.mjs', variables, `${issuer}/openapi.json`);
  remote = await start(
    'mcp-server.mjs',
    { ISSUER: issuer, PORT: String(remotePort), MCP_URL: remoteUrl, ...(await registerRemote()) },
    remoteUrl,
  );
  ({ operations } = (await import(join(folder, 'operations.mjs'))) as { operations: typeof operations });
});
afterAll(async () => {
  site?.kill();
  remote?.kill();
  await rm(folder, { recursive: true });
});

/** Starts a program of the document, and waits until its address responds. */
async function start(
  program: string,
  variables: Readonly<Record<string, string>>,
  address: string,
): Promise<ChildProcess> {
  const child = spawn(process.execPath, [program], {
    cwd: folder,
    env: { ...process.env, NODE_OPTIONS: '', ...variables },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  child.stderr.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const answers = () => fetch(address).then(Boolean.bind(null, true), Boolean.bind(null, false));
  await until(async () => child.exitCode !== null || (await answers()));
  if (child.exitCode !== null) throw new Error(printed);
  return child;
}

/** The MCP server in another process as a client, by the command of the document. */
async function registerRemote() {
  const kind = ['--grant-types', TOKEN_EXCHANGE, '--may-exchange', '--introspection'];
  const { stdout } = await runCli(
    [
      'clients',
      'create',
      '--name',
      'Photos MCP server',
      '--scopes',
      'photos:read',
      'photos:write',
      ...kind,
    ].concat('--resources', remoteUrl, '--json'),
    { uri: database.uri },
  );
  const { clientId, clientSecret } = JSON.parse(stdout) as Record<'clientId' | 'clientSecret', string>;
  return { CLIENT_ID: clientId, CLIENT_SECRET: clientSecret };
}

const person = createVisitor({ stopAt: CALLBACK });
/** Logs in and allows, each if necessary. */
async function allow(address: URL | string): Promise<URLSearchParams> {
  const goOn = async (page: VisitedPage): Promise<VisitedPage> => {
    if (page.text.includes('id="login-form"')) return goOn(await person.submit(page, PERSON, 'login-form'));
    if (page.url.href.startsWith(CALLBACK)) return page;
    return person.submit(page, { decision: 'allow' }, 'consent-form');
  };
  return (await goOn(await person.open(address))).url.searchParams;
}

/** An agent that has only the URL. */
async function openAgent(provider: McpProvider, address = `${issuer}/mcp`) {
  const url = new URL(address);
  const transport = () => new StreamableHTTPClientTransport(url, { authProvider: provider as never });
  const connect = async () => {
    const client = new Client({ name: 'assistant', version: '1.0.0' });
    await client.connect(transport());
    return client;
  };
  const allowRequested = async () => {
    const answer = await allow(provider.requested!);
    await transport().finishAuth(answer.get('code')!, answer.get('iss')!);
    return connect();
  };
  await expect(connect()).rejects.toThrow(UnauthorizedError);
  return { client: await allowRequested(), allowRequested };
}

/** A token of another client of the site, for a resource of its choice. */
async function obtainToken(resource: string, scope: string): Promise<string> {
  const post = async (path: string, body: URLSearchParams | string) => {
    const response = await fetch(`${issuer}/oauth/${path}`, {
      method: 'POST',
      ...(typeof body === 'string' && { headers: { 'Content-Type': 'application/json' } }),
      body,
    });
    return (await response.json()) as Record<string, string>;
  };
  const metadata = { redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none' };
  const { client_id = '' } = await post('register', JSON.stringify(metadata));
  const verifier = 'a verifier of the test, with as many characters as needed'.replaceAll(/\W/g, '-');
  const code_challenge = createHash('sha256').update(verifier).digest('base64url');
  const query = new URLSearchParams({
    response_type: 'code',
    client_id,
    redirect_uri: CALLBACK,
    scope,
    resource,
    code_challenge,
    code_challenge_method: 'S256',
  });
  const code = (await allow(`${issuer}/oauth/authorize?${query.toString()}`)).get('code') ?? '';
  const fields = { grant_type: 'authorization_code', client_id, code, redirect_uri: CALLBACK };
  const tokens = await post('token', new URLSearchParams({ ...fields, code_verifier: verifier }));
  return tokens.access_token ?? '';
}

async function call(method: string, path: string, token: string, body?: unknown) {
  const response = await fetch(issuer + path, {
    method,
    headers: {
      Authorization: `Bearer ${token}`,
      Accept: 'application/json, text/event-stream',
      'Content-Type': 'application/json',
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const challenge = response.headers.get('www-authenticate') ?? '';
  return { status: response.status, challenge, body: (await response.json()) as Record<string, unknown> };
}
const listTools = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const resultOf = (result: object) => {
  const { content, isError = false } = result as { content: { text: string }[]; isError?: boolean };
  return { isError, text: content[0]?.text ?? '' };
};

describe('the recipe of a REST API as tools', () => {
  test('an agent lists the tools, calls one, is refused another, asks the user and calls it', async () => {
    const provider = new McpProvider(CALLBACK);
    const { client, allowRequested } = await openAgent(provider);
    expect(provider.requested!.searchParams.get('scope')).toBe('photos:read');
    expect(provider.requested!.searchParams.get('resource')).toBe(`${issuer}/mcp`);
    const { tools } = await client.listTools();
    expect(tools.map(({ name, description, annotations }) => ({ name, description, annotations }))).toEqual(
      Object.entries(operations).map(([name, { description, annotations }]) => ({
        name,
        description,
        annotations,
      })),
    );
    expect(tools.find(({ name }) => name === 'add_photo')!.inputSchema).toMatchObject({
      properties: { title: { type: 'string', maxLength: 100 } },
      required: ['title'],
    });
    const list = { name: 'list_photos', arguments: {} };
    const add = { name: 'add_photo', arguments: { title: 'Moonrise' } };
    expect(resultOf(await client.callTool(list))).toEqual({ isError: false, text: '[]' });
    // details for the site stay on the site
    const failed = resultOf(await client.callTool({ name: 'fail', arguments: {} }));
    expect(failed).toEqual({ isError: true, text: 'the site could not do this, please try again later' });
    expect(printed).toContain('mongodb.internal');

    provider.requested = undefined;
    await expect(client.callTool(add)).rejects.toThrow();
    const requested = (provider.requested as URL | undefined)?.searchParams.get('scope')?.split(' ');
    expect(requested?.sort()).toEqual(['photos:read', 'photos:write']);
    await client.close();
    const again = await allowRequested();
    const { id, title } = JSON.parse(resultOf(await again.callTool(add)).text) as Record<string, string>;
    expect(title).toBe('Moonrise');
    expect(JSON.parse(resultOf(await again.callTool(list)).text)).toEqual([{ id, title }]);

    // the model gets the reason for a wrong argument
    const wrong = resultOf(await again.callTool({ name: 'add_photo', arguments: { title: ' ' } }));
    expect([wrong.isError, wrong.text]).toEqual([true, expect.stringContaining('title')]);
    const remove = { name: 'delete_photo', arguments: { id } };
    expect(JSON.parse(resultOf(await again.callTool(remove)).text)).toEqual({ deleted: id });
    expect(resultOf(await again.callTool(remove))).toEqual({ isError: true, text: 'there is no such photo' });
    await again.close();
  });

  test('the routes do the same as the tools, with the same scopes', async () => {
    const token = await obtainToken(issuer, 'photos:read photos:write');
    const added = await call('POST', '/api/photos', token, { title: 'Sunset' });
    expect([added.status, added.body]).toEqual([200, { id: expect.any(String), title: 'Sunset' }]);
    const { id } = added.body as { id: string };
    expect((await call('GET', '/api/photos?limit=1', token)).body).toEqual([{ id, title: 'Sunset' }]);
    const wrong = await call('GET', '/api/photos?limit=1000', token);
    expect([wrong.status, wrong.body]).toEqual([
      400,
      { error: 'invalid_request', error_description: expect.stringContaining('limit: ') },
    ]);
    expect((await call('DELETE', `/api/photos/${id}`, token)).status).toBe(200);
    const gone = await call('DELETE', `/api/photos/${id}`, token);
    expect([gone.status, gone.body]).toEqual([
      404,
      { error: 'not_found', error_description: 'there is no such photo' },
    ]);
    const reading = await obtainToken(issuer, 'photos:read');
    const refused = await call('POST', '/api/photos', reading, { title: 'Sunset' });
    expect([refused.status, refused.challenge]).toEqual([
      403,
      expect.stringContaining('scope="photos:write photos:read"'),
    ]);
  });

  test('a token opens the API or the tools, never both', async () => {
    const [forApi, forTools] = [
      await obtainToken(issuer, 'photos:read'),
      await obtainToken(`${issuer}/mcp`, 'photos:read'),
    ];
    expect((await call('GET', '/api/photos', forApi)).status).toBe(200);
    for (const refused of [
      await call('GET', '/api/photos', forTools),
      await call('POST', '/mcp', forApi, listTools),
    ])
      expect([refused.status, refused.challenge]).toEqual([
        401,
        expect.stringContaining('error="invalid_token"'),
      ]);
    const answer = await fetch(`${issuer}/mcp`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${forTools}`,
        Accept: 'application/json, text/event-stream',
        'Content-Type': 'application/json',
      },
      body: JSON.stringify(listTools),
    });
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('list_photos')]);
  });

  test('an MCP server in another process exchanges the user’s token to call the API', async () => {
    const provider = new McpProvider(CALLBACK);
    const { client, allowRequested } = await openAgent(provider, remoteUrl);
    expect(provider.requested!.searchParams.get('resource')).toBe(remoteUrl);
    const list = { name: 'list_photos', arguments: {} };
    const add = { name: 'add_photo', arguments: { title: 'Comet' } };
    expect(resultOf(await client.callTool(list))).toEqual({ isError: false, text: '[]' });
    await expect(client.callTool(add)).rejects.toThrow();
    await client.close();
    const again = await allowRequested();
    const added = resultOf(await again.callTool(add));
    expect(JSON.parse(added.text)).toEqual({ id: expect.any(String), title: 'Comet' });
    expect(JSON.parse(resultOf(await again.callTool(list)).text)).toEqual([JSON.parse(added.text)]);
    // the API refuses the agent's token
    const token = (provider.tokens() as { access_token: string }).access_token;
    expect((await call('GET', '/api/photos', token)).status).toBe(401);
    await database.collection('oauth_grants').updateMany({}, { $set: { revokedAt: new Date() } });
    const ended = resultOf(await again.callTool(list));
    expect([ended.isError, ended.text]).toEqual([true, expect.stringContaining('invalid_token')]);
    await again.close();
  });

  test('the OpenAPI document is valid, and its operations become the same rows again', async () => {
    const document = (await (await fetch(`${issuer}/openapi.json`)).json()) as Record<string, never> & {
      paths: Record<string, Record<string, object>>;
    };
    expect(await new Validator().validate(document)).toEqual({ valid: true });
    const { rowOf } = (await import(join(folder, 'row-of.mjs'))) as {
      rowOf: (operation: object) => Operation;
    };
    const described = Object.values(document.paths).flatMap((item) => Object.values(item)) as {
      operationId: string;
    }[];
    const names = Object.keys(operations).filter((name) => name !== 'fail');
    expect(described.map(({ operationId }) => operationId).sort()).toEqual(names.sort());
    const inputs = [
      {},
      { limit: 5 },
      { limit: 0 },
      { title: 'Sunset' },
      { title: 5 },
      { id: 'a'.repeat(24) },
    ];
    for (const operation of described) {
      const { description, input } = operations[operation.operationId]!;
      const row = rowOf(operation);
      // the scopes are written by hand: a document with other names for its schemes would leave the tool open
      expect([row.description, row.scopes]).toEqual([description, undefined]);
      for (const given of inputs)
        expect([given, row.input.safeParse(given).success]).toEqual([given, input.safeParse(given).success]);
    }
  });
});
