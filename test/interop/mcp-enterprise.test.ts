import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

import type { ClientWithSecret, McpTransportLike } from '../../lib/index.js';
import { JWT_BEARER_GRANT, openIssuer } from '../support/issuer.js';
import { openSite, type Site } from '../support/site.js';
import { fixture } from '../support/site-for.js';
import { findFreePorts } from './support/example.js';

/** Version 2 is loaded without its types, so that its packages need not be installed to compile this. */
interface ClientSdk {
  readonly Client: new (info: { name: string; version: string }) => {
    connect(transport: unknown): Promise<void>;
    callTool(call: { name: string; arguments: object }): Promise<object>;
    close(): Promise<void>;
  };
  readonly StreamableHTTPClientTransport: new (url: URL, options: { authProvider: object }) => object;
  readonly CrossAppAccessProvider: new (options: {
    readonly assertion: (context: {
      readonly authorizationServerUrl: string;
      readonly resourceUrl: string;
    }) => Promise<string>;
    readonly clientId: string;
    readonly clientSecret: string;
    readonly expectedIssuer: string;
  }) => object;
}

let site: Site;
let agent: ClientWithSecret;
let url: string;

const company = fixture(() => openIssuer());
beforeAll(async () => {
  const [port] = await findFreePorts(1);
  const issuer = `http://127.0.0.1:${port}`;
  url = `${issuer}/mcp`;
  site = await openSite({
    issuer,
    agents: true,
    resources: { [url]: { scopes: ['photos:read'] } },
    assertions: [
      {
        kind: 'enterprise',
        issuer: company.issuer,
        jwksUri: company.jwksUri,
        findUser: ({ sub }) => (sub === 'employee-7' ? 'ada' : null),
      },
    ],
  });
  site.app.use(
    '/mcp',
    site.oauth.mcp({
      resource: url,
      scopes: ['photos:read'],
      createServer: () => {
        const server = new McpServer({ name: 'Photos', version: '1.0.0' });
        server.registerTool('who', { description: 'Says who calls.' }, ({ authInfo }) => ({
          content: [
            {
              type: 'text' as const,
              text: String((authInfo?.extra as { userId?: string } | undefined)?.userId),
            },
          ],
        }));
        return server;
      },
      createTransport: () =>
        new StreamableHTTPServerTransport({ sessionIdGenerator: undefined }) as unknown as McpTransportLike,
    }),
  );
  await new Promise<void>((resolve) => site.server.close(() => resolve()));
  await new Promise<void>((resolve) => site.server.listen(port, '127.0.0.1', resolve));
  agent = await site.client({ name: 'Agent', grantTypes: [JWT_BEARER_GRANT], redirectUris: [] });
});
afterAll(() => site.close());

test('CrossAppAccessProvider of MCP SDK 2 gets a token by an identity provider', async () => {
  const sdk = (await import('@modelcontextprotocol/client')) as ClientSdk;
  const authProvider = new sdk.CrossAppAccessProvider({
    assertion: ({ authorizationServerUrl: aud, resourceUrl: resource }) =>
      company.sign(
        {
          sub: 'employee-7',
          aud: aud.replace(/\/$/, ''),
          client_id: agent.clientId,
          resource,
          scope: 'photos:read',
        },
        { header: { typ: 'oauth-id-jag+jwt' } },
      ),
    clientId: agent.clientId,
    clientSecret: String(agent.clientSecret),
    expectedIssuer: new URL(url).origin,
  });
  const client = new sdk.Client({ name: 'Agent', version: '1.0.0' });
  await client.connect(new sdk.StreamableHTTPClientTransport(new URL(url), { authProvider }));
  const { content } = (await client.callTool({ name: 'who', arguments: {} })) as {
    content: { text: string }[];
  };
  expect(content[0]?.text).toBe('ada');
  await client.close();
});
