import { beforeAll, describe, expect, test } from '@jest/globals';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import express from 'express';
import request from 'supertest';

import { bearerGuard } from '../../../lib/guard.js';
import type { ClientWithSecret } from '../../../lib/index.js';
import { siteFor } from '../../support/site-for.js';
import { obtainTokens, tokenRequest } from '../../support/tokens.js';
import { until } from '../../support/until.js';

const MCP = 'http://127.0.0.1/mcp';
const createTransport = () =>
  new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true });
const createServer = () => {
  const server = new McpServer({ name: 'Photos', version: '1.0.0' });
  server.registerTool('who', { description: 'Says who calls.' }, ({ authInfo }) => ({
    content: [{ type: 'text', text: JSON.stringify({ ...authInfo, token: typeof authInfo?.token }) }],
  }));
  server.registerTool('add_photo', { description: 'Adds a photo.' }, () => ({
    content: [{ type: 'text', text: 'added' }],
  }));
  return server;
};
/** A request whose body the host has read, and put elsewhere. */
interface ElsewhereRequest extends express.Request {
  elsewhere?: Buffer;
}
/** The tools that a lenient server would call: it reads nested lists, too. */
const toolsIn = (body: unknown): unknown[] => {
  if (Buffer.isBuffer(body) || typeof body === 'string')
    return toolsIn(JSON.parse(body.toString() || 'null'));
  if (Array.isArray(body)) return body.flatMap(toolsIn);
  return [(body as { params?: { name?: string } } | null)?.params?.name];
};
const call = (name: string) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: {} },
});
let client: ClientWithSecret;
let closed = 0;
const site = siteFor({
  security: { rateLimits: false },
  resources: { [MCP]: { scopes: ['photos:read', 'photos:write'] } },
  before: (app) => {
    // the host's own parser comes first in many sites
    app.use('/parsed', express.json());
    app.use('/raw', express.raw({ type: '*/*' }));
    app.use('/text', express.text({ type: '*/*' }));
    // stores the body where only the host looks for it
    app.use('/elsewhere', (req: ElsewhereRequest, _res, next) => {
      const chunks: Buffer[] = [];
      req.on('data', (chunk: Buffer) => chunks.push(chunk));
      req.on('end', () => {
        req.elsewhere = Buffer.concat(chunks);
        next();
      });
    });
  },
});
beforeAll(async () => {
  const options = {
    resource: MCP,
    scopes: ['photos:read'],
    tools: { add_photo: ['photos:write'] },
    createServer: () => {
      const server = createServer();
      server.server.onclose = () => void (closed += 1);
      return server;
    },
    createTransport,
  };
  site.app.use('/mcp', site.oauth.mcp(options));
  site.app.use('/parsed', site.oauth.mcp(options));
  site.app.use('/people', site.oauth.mcp({ ...options, requireUser: true }));
  site.app.use('/listed', site.oauth.mcp({ ...options, origins: ['https://inspector.example'] }));
  site.app.use(
    '/handled',
    site.oauth.mcp({
      resource: MCP,
      handle: (req, res) => {
        if (req.query.fail !== undefined) throw new Error('the database of the host is away');
        res.json({ method: req.method, body: (req.body as unknown) ?? null });
      },
    }),
  );
  // like servers that look for "application/json" anywhere in the type, and read any body that is left
  site.app.use(
    '/lenient',
    site.oauth.mcp({
      resource: MCP,
      tools: options.tools,
      handle: async (req, res) => {
        const chunks: Buffer[] = [];
        for await (const chunk of req) chunks.push(chunk as Buffer);
        const body = (req.body as unknown) ?? JSON.parse(Buffer.concat(chunks).toString());
        res.json({ called: (body as { params?: { name?: string } }).params?.name });
      },
    }),
  );
  const handle = (req: ElsewhereRequest, res: express.Response) =>
    void res.json({ called: toolsIn(req.elsewhere ?? req.body) });
  for (const path of ['/parsed', '/raw', '/text', '/elsewhere', '/plain'])
    site.app.use(`${path}/read`, site.oauth.mcp({ resource: MCP, tools: options.tools, handle }));
  site.app.use('/raw/open', site.oauth.mcp({ resource: MCP, handle }));
  site.app.get('/mcp/about', (_req, res) => res.send('our own page'));
  site.app.use((error: Error, _req: express.Request, res: express.Response, _next: express.NextFunction) => {
    res.status(500).send(`host: ${error.message}`);
  });
  client = await site.client();
});

const tokenFor = async (scope: string, as?: string) =>
  (
    await obtainTokens(site, client, {
      query: { scope, resource: MCP, prompt: 'consent' },
      ...(as && { as }),
    })
  ).access_token;
const post = (token: string | undefined, body: unknown, path = '/mcp') => {
  const sent = request(site.server)
    .post(path)
    .set({ Accept: 'application/json, text/event-stream', 'Content-Type': 'application/json' });
  return (token === undefined ? sent : sent.set('Authorization', `Bearer ${token}`)).send(
    typeof body === 'string' ? body : JSON.stringify(body),
  );
};
const scopeIn = ({ headers }: { headers: Record<string, string> }) =>
  / scope="([^"]*)"/.exec(headers['www-authenticate'] ?? '')?.[1];
const resultOf = ({ body }: { body: { result: { content: { text: string }[] } } }) =>
  body.result.content[0]!.text;

describe('oauth.mcp', () => {
  test('an MCP server of the SDK gets the token’s data, with and without a slash in the path', async () => {
    const token = await tokenFor('photos:read');
    for (const path of ['/mcp', '/mcp/']) {
      const answer = await post(token, call('who'), path).expect(200);
      expect(JSON.parse(resultOf(answer))).toEqual({
        token: 'string',
        kind: 'app',
        clientId: client.clientId,
        userId: 'ada',
        scopes: ['photos:read'],
        expiresAt: expect.any(Number),
        resource: MCP,
        resourceMetadataUrl: 'http://127.0.0.1/.well-known/oauth-protected-resource/mcp',
        extra: { userId: 'ada' },
      });
    }
  });

  test('the MCP server of a request is closed after its response', async () => {
    const before = closed;
    await post(await tokenFor('photos:read'), call('who')).expect(200);
    // fails by the timeout of the test
    await until(() => closed > before);
    expect(closed).toBeGreaterThan(before);
  });

  test.each(['application/json; =', 'application/json;;', 'text/plain; of=application/json', 'text/plain'])(
    'a body of another content type calls no tool: %s',
    async (type) => {
      const sent = await request(site.server)
        .post('/lenient')
        .set('Authorization', `Bearer ${await tokenFor('photos:read')}`)
        .set('Content-Type', type)
        .send(JSON.stringify(call('add_photo')));
      expect(sent.text).not.toContain('add_photo');
      expect([403, 415]).toContain(sent.status);
    },
  );

  test('the 401 challenge has the metadata and the scopes of the server, not those of tools', async () => {
    const refused = await post(undefined, call('add_photo'));
    expect([refused.status, scopeIn(refused)]).toEqual([401, 'photos:read']);
    expect(refused.headers['www-authenticate']).toContain(
      'resource_metadata="http://127.0.0.1/.well-known/oauth-protected-resource/mcp"',
    );
  });

  test('a tool call without its scopes gets 403 with all scopes, and other tools still answer', async () => {
    const token = await tokenFor('photos:read');
    const refused = await post(token, call('add_photo'));
    expect([refused.status, refused.body.error, scopeIn(refused)]).toEqual([
      403,
      'insufficient_scope',
      'photos:read photos:write',
    ]);
    expect((await post(token, call('who'))).status).toBe(200);
    const more = await tokenFor('photos:read photos:write');
    expect(resultOf(await post(more, call('add_photo')).expect(200))).toBe('added');
  });

  test('a batch or a body that the host has parsed does not get around the scopes of tools', async () => {
    const token = await tokenFor('photos:read');
    expect((await post(token, [call('who'), call('add_photo')])).status).toBe(400);
    expect((await post(token, call('add_photo'), '/parsed')).status).toBe(403);
    for (const odd of [
      { ...call('x'), params: null },
      { ...call('x'), params: { name: ['add_photo'] } },
      { ...call('x'), params: { name: '__proto__' } },
      null,
      [null],
      'add_photo',
    ]) {
      const { status, text } = await post(token, JSON.stringify(odd));
      expect([status, text]).not.toEqual([200, expect.stringContaining('added')]);
      expect(status).toBeLessThan(500);
    }
  });

  test.each(['/plain', '/parsed', '/raw', '/text', '/elsewhere'])(
    'a tool in a nested list is not called after another body parser: %s',
    async (path) => {
      const token = await tokenFor('photos:read');
      const hidden = [call('add_photo'), [call('add_photo')], [[call('add_photo')]], [[[call('add_photo')]]]];
      for (const body of [...hidden, [call('who'), [call('add_photo')]], { 0: call('add_photo') }]) {
        const answer = await post(token, body, `${path}/read`);
        expect(answer.text).not.toContain('"called"');
        // a Buffer is a mistake of the host
        expect(path === '/raw' ? [500] : [400, 403]).toContain(answer.status);
      }
    },
  );

  test('a call whose tool name or method is not text is refused with 400', async () => {
    const token = await tokenFor('photos:read');
    const named = { ...call('x'), params: { name: ['add_photo'], arguments: {} } };
    const method = ['tools/call'];
    for (const odd of [
      named,
      { ...call('x'), params: [] },
      { ...call('x'), params: undefined },
      { ...call('add_photo'), method },
      { ...call('add_photo'), method, result: {} },
    ])
      expect((await post(token, odd, '/plain/read')).status).toBe(400);
  });

  test('a body that the host has parsed reaches the MCP server', async () => {
    const token = await tokenFor('photos:read');
    for (const path of ['/plain/read', '/parsed/read', '/text/read', '/raw/open'])
      expect((await post(token, call('who'), path).expect(200)).body).toEqual({ called: ['who'] });
  });

  test('a Buffer in req.body is answered with 500, and the error mentions express.raw()', async () => {
    const answer = await post(await tokenFor('photos:read'), call('who'), '/raw/read').expect(500);
    expect(answer.text).toMatch(/express\.raw\(\)/);
  });

  test('a body that the host has read elsewhere is refused, with a hint for the host', async () => {
    const { status, body } = await post(await tokenFor('photos:read'), call('who'), '/elsewhere/read');
    expect([status, body.error.code]).toEqual([400, -32_600]);
    expect(body.error.message).toBe(
      'Invalid Request: the request body was read before it came here, and is lost',
    );
    expect(site.errors.at(-1)).toMatchObject({
      endpoint: 'mcp',
      detail: expect.stringContaining('mount oauth.mcp before it'),
    });
  });

  test('a batch is refused with 400, as MCP has none since 2025-06-18', async () => {
    const token = await tokenFor('photos:read');
    for (const path of ['/mcp', '/handled']) {
      const { status, body } = await post(token, [call('who')], path);
      expect([status, body.error.code]).toEqual([400, -32_600]);
    }
  });

  test('a client’s response and a GET without a body reach the MCP server', async () => {
    const token = await tokenFor('photos:read');
    const response = { jsonrpc: '2.0', id: 1, result: {} };
    await post(token, response, '/plain/read').expect(200);
    await request(site.server).get('/plain/read').set('Authorization', `Bearer ${token}`).expect(200);
  });

  test('an MCP server refuses a token without its resource and accepts a client for itself', async () => {
    const { access_token: own } = await obtainTokens(site, client, { query: { scope: 'photos:read' } });
    expect((await post(own, call('who'))).status).toBe(401);
    const { body } = await tokenRequest(site, client, {
      grant_type: 'client_credentials',
      resource: MCP,
      scope: 'photos:read',
    });
    const answer = await post(body.access_token, call('who')).expect(200);
    expect(JSON.parse(resultOf(answer))).not.toHaveProperty('userId');
  });

  test('requireUser: true refuses a client for itself and accepts a person', async () => {
    const { body } = await tokenRequest(site, client, {
      grant_type: 'client_credentials',
      resource: MCP,
      scope: 'photos:read',
    });
    const refused = await post(body.access_token, call('who'), '/people');
    expect([refused.status, refused.body.error]).toEqual([403, 'insufficient_scope']);
    const answer = await post(await tokenFor('photos:read'), call('who'), '/people').expect(200);
    expect(JSON.parse(resultOf(answer))).toMatchObject({ extra: { userId: 'ada' } });
  });

  test.each([
    ['invalid JSON', '{"jsonrpc":', 400, -32_700],
    ['more than 4 MiB', JSON.stringify({ ...call('who'), more: 'a'.repeat(4_194_304) }), 413, -32_600],
  ])('%s is answered with a JSON-RPC error', async (_what, body, status, code) => {
    const answer = await post(await tokenFor('photos:read'), body);
    expect([answer.status, answer.body]).toEqual([
      status,
      { jsonrpc: '2.0', id: null, error: { code, message: expect.any(String) } },
    ]);
  });

  test('GET and DELETE get 405 at a stateless MCP server, and paths below stay the site’s', async () => {
    const token = await tokenFor('photos:read');
    for (const method of ['get', 'delete'] as const) {
      const agent = request(site.server);
      const { status, headers } = await agent[method]('/mcp').set('Authorization', `Bearer ${token}`);
      expect([status, headers.allow]).toEqual([405, 'POST']);
    }
    expect((await request(site.server).get('/mcp/about')).text).toBe('our own page');
  });

  test('pages of other origins may call an MCP server and read its challenge', async () => {
    const origin = { Origin: 'https://inspector.example' };
    const preflight = await request(site.server)
      .options('/mcp')
      .set({
        ...origin,
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'authorization,mcp-protocol-version',
      });
    expect(preflight.status).toBe(204);
    expect(preflight.headers['access-control-allow-headers']).toBe('authorization,mcp-protocol-version');
    const refused = await post(undefined, call('who')).set(origin);
    expect([
      refused.status,
      refused.headers['access-control-allow-origin'],
      refused.headers['access-control-expose-headers'],
    ]).toEqual([401, '*', expect.stringContaining('WWW-Authenticate')]);
  });

  test('an origin outside the option origins gets 403, also with a valid token', async () => {
    const token = await tokenFor('photos:read');
    const from = (origin: string) => post(token, call('who'), '/listed').set('Origin', origin);
    expect((await from('https://inspector.example')).status).toBe(200);
    for (const origin of ['https://evil.example', 'https://inspector.example.evil.example', 'null'])
      expect((await from(origin)).status).toBe(403);
    expect((await post(token, call('who'), '/listed')).status).toBe(200);
  });

  test('handle answers every authorized request, and its errors go to the host’s handler', async () => {
    const token = await tokenFor('photos:read');
    expect((await post(token, { a: 1 }, '/handled')).body).toEqual({ method: 'POST', body: { a: 1 } });
    const get = request(site.server).get('/handled').set('Authorization', `Bearer ${token}`);
    expect((await get).body).toMatchObject({ method: 'GET' });
    const failed = await post(token, {}, '/handled?fail');
    expect([failed.status, failed.text]).toEqual([500, 'host: the database of the host is away']);
    expect((await post(undefined, {}, '/handled')).status).toBe(401);
  });

  test.each<[object, RegExp]>([
    [{ resource: MCP }, /mcp: the option createServer: who answers\?/],
    [{ createServer }, /who answers/],
    [{ createServer, createTransport, handle: () => undefined }, /who answers/],
    [{ handle: () => undefined, scopes: ['photos:raed'] }, /'photos:raed' is not among the scopes/],
    [{ handle: () => undefined, tools: { a: ['nope'] } }, /'nope' is not among the scopes/],
    [{ handle: () => undefined, resource: 'https://other.example' }, /is not among the resources/],
    [{ handle: () => undefined, tools: { a: 'photos:read' } }, /option tools.a must be a list of scopes/],
    [{ handle: () => undefined, tool: {} }, /unknown option 'tool'; did you mean 'tools'/],
  ])('oauth.mcp throws for the options %j', (options, message) => {
    expect(() => site.oauth.mcp(options as never)).toThrow(message);
  });

  test('guard.mcp of bearerGuard works in another process', async () => {
    const resource = site.url;
    const api = await site.client({ introspection: true, grantTypes: ['client_credentials'] });
    const guard = bearerGuard({ issuer: site.url, clientId: api.clientId, clientSecret: api.clientSecret! });
    const app = express().use('/mcp', guard.mcp({ scopes: ['photos:read'], createServer, createTransport }));
    const { access_token: token } = await obtainTokens(site, client, { query: { scope: 'photos:read' } });
    const answer = await request(app)
      .post('/mcp')
      .set({ Accept: 'application/json, text/event-stream', Authorization: `Bearer ${token}` })
      .send(call('who'));
    expect(JSON.parse(resultOf(answer))).toMatchObject({
      resource: `${resource}/`,
      extra: { userId: 'ada' },
    });
  });
});

describe('oauth.mcp.requireBearerAuth instead of the SDK’s', () => {
  const metadataUrl = 'http://127.0.0.1/.well-known/oauth-protected-resource/mcp';
  const app = () =>
    express().use(
      '/mcp',
      site.oauth.mcp.requireBearerAuth({ requiredScopes: ['photos:read'], resourceMetadataUrl: metadataUrl }),
      (req, res) => void res.json(req.auth),
    );

  test('requireBearerAuth answers invalid_token or insufficient_scope, with the metadata’s URL', async () => {
    const ask = (token?: string) =>
      token === undefined
        ? request(app()).post('/mcp')
        : request(app()).post('/mcp').set('Authorization', `Bearer ${token}`);
    const none = await ask();
    expect([none.status, none.headers['www-authenticate']]).toEqual([
      401,
      expect.stringContaining(`resource_metadata="${metadataUrl}"`),
    ]);
    expect((await ask('nonsense')).body.error).toBe('invalid_token');
    const little = await ask(await tokenFor('photos:write'));
    expect([little.status, little.body.error]).toEqual([403, 'insufficient_scope']);
    const { body } = await ask(await tokenFor('photos:read')).expect(200);
    expect(body).toMatchObject({ clientId: client.clientId, extra: { userId: 'ada' }, resource: MCP });
  });

  test.each([
    [
      { resourceMetadataUrl: 'https://other.example/.well-known/oauth-protected-resource' },
      /the metadata of the resources are at http/,
    ],
    [{ resourceMetadataUrl: 'nonsense' }, /option resourceMetadataUrl must be a URL/],
    [{ requiredScopes: ['nope'] }, /'nope' is not among the scopes/],
    [{ verifier: {} }, /unknown option 'verifier'/],
  ])('requireBearerAuth throws for the options %j', (options, message) => {
    expect(() => site.oauth.mcp.requireBearerAuth(options as never)).toThrow(message);
  });
});
