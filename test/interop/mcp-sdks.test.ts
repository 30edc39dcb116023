import { randomUUID } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import * as authOfV1 from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { AuthInfo } from '@modelcontextprotocol/sdk/server/auth/types.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

import type { AccessToken, McpServerLike, McpTransportLike } from '../../lib/index.js';
import { openDocumentServer } from '../support/client-documents.js';
import { createPerson, locationOf, type Person } from '../support/person.js';
import { openSite, type Site } from '../support/site.js';
import { fixture } from '../support/site-for.js';
import { McpProvider } from './support/mcp-provider.js';

const CALLBACK = 'http://127.0.0.1:7777/callback';

/** Compiles only as long as the guard sets what the SDK's transport reads. */
export const asAuthInfo = (auth: AccessToken): AuthInfo => auth;

/** The common part of the two versions of the SDK. */
interface ClientSdk {
  readonly Client: new (info: { name: string; version: string }) => {
    connect(transport: unknown): Promise<void>;
    callTool(call: { name: string; arguments: object }): Promise<object>;
    close(): Promise<void>;
  };
  readonly StreamableHTTPClientTransport: new (
    url: URL,
    options: { authProvider: object },
  ) => { finishAuth(code: string, iss?: string): Promise<void> };
  readonly UnauthorizedError: new (...given: never[]) => Error;
}
interface ServerSdk {
  readonly McpServer: new (info: { name: string; version: string }) => McpServerLike & {
    registerTool(name: string, config: object, handler: (context: ToolContext) => object): unknown;
  };
  readonly createTransport: () => McpTransportLike;
}
/** The place of the caller in a tool, in version 1 and in version 2. */
interface ToolContext {
  readonly authInfo?: { extra?: { userId?: string } };
  readonly http?: { authInfo?: { extra?: { userId?: string } } };
}

/** Version 2 is loaded without its types, so that its packages need not be installed to compile this. */
const load = async (name: string) => (await import(name)) as object;
const clientSdks: Record<string, () => Promise<ClientSdk>> = {
  'SDK 1': () =>
    Promise.resolve({ Client, StreamableHTTPClientTransport, ...authOfV1 } as unknown as ClientSdk),
  'SDK 2': async () => (await load('@modelcontextprotocol/client')) as ClientSdk,
};
const serverSdks: Record<string, () => Promise<ServerSdk>> = {
  'SDK 1': () =>
    Promise.resolve({
      McpServer: McpServer as unknown as ServerSdk['McpServer'],
      createTransport: () => new StreamableHTTPServerTransport({ sessionIdGenerator: undefined }),
    }),
  'SDK 2': async () => {
    const { NodeStreamableHTTPServerTransport: Transport } = (await load('@modelcontextprotocol/node')) as {
      NodeStreamableHTTPServerTransport: new (options: object) => McpTransportLike;
    };
    const server = (await load('@modelcontextprotocol/server')) as Pick<ServerSdk, 'McpServer'>;
    return { ...server, createTransport: () => new Transport({ sessionIdGenerator: undefined }) };
  },
};

let site: Site;
let ada: Person;
const endpoints = new Map<string, string>();
const documents = fixture(() => openDocumentServer());
beforeAll(async () => {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const urls = Object.keys(serverSdks).map((name) => [name, `${issuer}/mcp-${name.at(-1)}`] as const);
  site = await openSite({
    issuer,
    security: { rateLimits: false },
    agents: true,
    clientIdMetadataDocuments: { allowLoopback: true },
    resources: Object.fromEntries(urls.map(([, url]) => [url, { scopes: ['photos:read', 'photos:write'] }])),
  });
  for (const [name, url] of urls) {
    endpoints.set(name, url);
    const sdk = await serverSdks[name]!();
    site.app.use(
      new URL(url).pathname,
      site.oauth.mcp({
        resource: url,
        scopes: ['photos:read'],
        tools: { add_photo: ['photos:write'] },
        createServer: () => createServer(sdk),
        createTransport: sdk.createTransport,
      }),
    );
  }
  await new Promise<void>((resolve) => site.server.close(() => resolve()));
  await new Promise<void>((resolve) => site.server.listen(port, '127.0.0.1', resolve));
  ada = createPerson(site);
  await ada.logIn();
});
afterAll(async () => {
  await site.close();
});

/** The resource is named before the site listens, so its port has to be known. */
async function freePort(): Promise<number> {
  const probe = await openSite({ issuer: 'http://127.0.0.1:1' });
  const { port } = new URL(probe.url);
  await probe.close();
  return Number(port);
}

function createServer({ McpServer: Server }: ServerSdk) {
  const server = new Server({ name: 'Photos', version: '1.0.0' });
  server.registerTool('who', { description: 'Says who calls.' }, ({ authInfo, http }) => ({
    content: [{ type: 'text', text: (authInfo ?? http?.authInfo)?.extra?.userId ?? 'nobody' }],
  }));
  server.registerTool('add_photo', { description: 'Adds a photo.' }, () => ({
    content: [{ type: 'text', text: 'added' }],
  }));
  return server;
}

const issuerOf = () => new URL(endpoints.get('SDK 1')!).origin;

const WAYS: Record<string, () => Promise<McpProvider>> = {
  'with a document': () =>
    Promise.resolve(
      new McpProvider(CALLBACK, {
        client_id: documents.publish(`/${randomUUID()}`, { redirect_uris: [CALLBACK] }),
        issuer: issuerOf(),
      }),
    ),
  'with registration': () => Promise.resolve(new McpProvider(CALLBACK)),
  'registered beforehand': async () => {
    const { clientId } = await site.client({ type: 'public', redirectUris: [CALLBACK] });
    return new McpProvider(CALLBACK, { client_id: clientId, issuer: issuerOf() });
  },
};

/** Opens the page, allows the request, and comes back. */
async function allow({ requested }: McpProvider): Promise<URLSearchParams> {
  const page = await ada.openAuthorize(requested!.search.slice(1));
  const { searchParams } = locationOf(page.status === 200 ? await ada.choose(page) : page);
  expect([searchParams.get('state'), searchParams.get('iss')]).toEqual(['the-state', issuerOf()]);
  return searchParams;
}
const textOf = (result: object) => (result as { content: { text: string }[] }).content[0]?.text;

describe.each(Object.keys(serverSdks))('a server of %s', (server) => {
  describe.each(Object.keys(clientSdks))('by a client of %s', (name) => {
    test.each(Object.keys(WAYS))(
      `a client of ${name}, %s, connects to ${server}, and steps up for a tool`,
      async (way) => {
        const sdk = await clientSdks[name]!();
        const url = new URL(endpoints.get(server)!);
        const provider = await WAYS[way]!();
        const transport = () => new sdk.StreamableHTTPClientTransport(url, { authProvider: provider });
        const connect = async () => {
          const client = new sdk.Client({ name: 'assistant', version: '1.0.0' });
          await client.connect(transport());
          return client;
        };
        await expect(connect()).rejects.toThrow(sdk.UnauthorizedError);
        expect(provider.requested?.searchParams.get('resource')).toBe(url.href);
        expect(provider.requested?.searchParams.get('scope')).toBe('photos:read');
        const first = await allow(provider);
        await transport().finishAuth(first.get('code')!, first.get('iss')!);
        const client = await connect();
        expect(textOf(await client.callTool({ name: 'who', arguments: {} }))).toBe('ada');

        provider.requested = undefined;
        // it is refused before the tool is called
        await expect(client.callTool({ name: 'add_photo', arguments: {} })).rejects.toThrow();
        await client.close();
        // version 1 refreshes its token instead of asking for more, and gives up
        if (name === 'SDK 1') return;
        const desired = (provider.requested as URL | undefined)?.searchParams.get('scope')?.split(' ') ?? [];
        expect(desired.sort()).toEqual(['photos:read', 'photos:write']);
        const second = await allow(provider);
        await transport().finishAuth(second.get('code')!, second.get('iss')!);
        const again = await connect();
        expect(textOf(await again.callTool({ name: 'add_photo', arguments: {} }))).toBe('added');
        await again.close();
      },
    );
  });
});
