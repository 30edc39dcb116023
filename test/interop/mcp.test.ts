import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type OAuthClientProvider, UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { AuthInfo } from '@modelcontextprotocol/sdk/server/auth/types.js';
import type {
  OAuthClientInformationMixed,
  OAuthClientMetadata,
  OAuthTokens,
} from '@modelcontextprotocol/sdk/shared/auth.js';

import type { AccessToken } from '../../lib/index.js';
import { type RunningExample, startExample } from './support/example.js';
import { openLoggedInBrowser } from './support/flows.js';
import type { HttpBrowser } from './support/http-browser.js';

const REDIRECT_URL = 'http://127.0.0.1:49152/callback';

/** Compiles only as long as what the guard sets is what the SDK's transport reads. */
export const asAuthInfo = (auth: AccessToken): AuthInfo => auth;

/** The SDK's way to keep credentials; it knows only what discovery tells it about the server. */
class MemoryProvider implements OAuthClientProvider {
  client: OAuthClientInformationMixed | undefined;
  saved: OAuthTokens | undefined;
  authorizationUrl: URL | undefined;
  private verifier = '';

  constructor(readonly clientMetadata: OAuthClientMetadata) {}

  readonly redirectUrl = REDIRECT_URL;
  state = () => 'the-state';
  clientInformation = () => this.client;
  saveClientInformation = (client: OAuthClientInformationMixed) => void (this.client = client);
  tokens = () => this.saved;
  saveTokens = (tokens: OAuthTokens) => void (this.saved = tokens);
  redirectToAuthorization = (url: URL) => void (this.authorizationUrl = url);
  saveCodeVerifier = (verifier: string) => void (this.verifier = verifier);
  codeVerifier = () => this.verifier;
}

const METADATA: OAuthClientMetadata = {
  client_name: 'Assistant',
  redirect_uris: [REDIRECT_URL],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
};

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'by hand', version: '1' } },
};

let example: RunningExample;
let mcpUrl: string;
let browser: HttpBrowser;
beforeAll(async () => {
  example = await startExample();
  mcpUrl = `${example.issuer}/mcp`;
  browser = await openLoggedInBrowser(example.issuer, { stopAt: REDIRECT_URL });
});
afterAll(() => example.stop());

const transportFor = (provider: OAuthClientProvider) =>
  new StreamableHTTPClientTransport(new URL(mcpUrl), { authProvider: provider });
const connect = async (provider: OAuthClientProvider) => {
  const client = new Client({ name: 'assistant', version: '1.0.0' });
  await client.connect(transportFor(provider));
  return client;
};
const callTool = async (client: Client, name: string, parameters: Record<string, unknown> = {}) => {
  const { content, isError = false } = await client.callTool({ name, arguments: parameters });
  return { isError, text: (content as { text: string }[])[0]!.text };
};
const toolsOf = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name);

/** What the person does in the browser that the client opens; resolves to the URL of the callback. */
const allow = async (url: URL, fields: Readonly<Record<string, string>> = {}): Promise<URL> => {
  const page = await browser.open(url);
  expect(page.text).toContain('id="client-unverified"');
  return (await browser.submit(page, 'consent-form', { button: 'consent-allow', fields })).url;
};
const logInTo = async (provider: MemoryProvider, fields?: Readonly<Record<string, string>>) => {
  await expect(connect(provider)).rejects.toThrow(UnauthorizedError);
  const back = await allow(provider.authorizationUrl!, fields);
  expect(back.searchParams.get('state')).toBe('the-state');
  await transportFor(provider).finishAuth(back.searchParams.get('code')!);
};

describe('Model Context Protocol, the server of the example by the SDK’s own client', () => {
  test.each(['none', 'client_secret_basic', 'client_secret_post'])(
    'a client with the method %s gets in by discovery and registration alone',
    async (method) => {
      const provider = new MemoryProvider({ ...METADATA, token_endpoint_auth_method: method });
      await logInTo(provider);
      const requested = provider.authorizationUrl!.searchParams;
      expect([
        requested.get('code_challenge_method'),
        requested.get('resource'),
        requested.get('scope'),
      ]).toEqual(['S256', mcpUrl, 'photos:read photos:write']);
      expect('client_secret' in provider.client!).toBe(method !== 'none');

      const client = await connect(provider);
      expect(await toolsOf(client)).toEqual(['list_photos', 'add_photo', 'pay']);
      expect((await callTool(client, 'list_photos')).text).toContain('Waiting for the comet');
      await client.close();
    },
  );

  test('what the person unticks is no tool of the client', async () => {
    const provider = new MemoryProvider(METADATA);
    await logInTo(provider, { granted_scope: 'photos:read' });
    const client = await connect(provider);
    expect(await toolsOf(client)).toEqual(['list_photos', 'pay']);
    await expect(callTool(client, 'add_photo', { title: 'Not allowed' })).rejects.toThrow('not found');
    expect((await callTool(client, 'list_photos')).text).not.toContain('Not allowed');
    await client.close();
  });

  test('a photo that is added by a tool is in the person’s album; a title that cannot be is refused in the words of the API', async () => {
    const provider = new MemoryProvider(METADATA);
    await logInTo(provider);
    const client = await connect(provider);
    expect((await callTool(client, 'add_photo', { title: 'Drawn by an assistant' })).isError).toBe(false);
    expect((await browser.open(`${example.issuer}/photos`)).text).toContain('Drawn by an assistant');
    expect(await callTool(client, 'add_photo', { title: 'half a \ud800 or a \u0000' })).toEqual({
      isError: true,
      text: 'title has characters that cannot be shown',
    });
    await client.close();
  });

  test('an access token that has ended is refreshed without the person, and the refresh token rotates', async () => {
    const provider = new MemoryProvider(METADATA);
    await logInTo(provider);
    const first = provider.saved!;
    provider.authorizationUrl = undefined;
    provider.saveTokens({ ...first, access_token: `${first.access_token.slice(0, -4)}AAAA` });
    const client = await connect(provider);
    expect((await callTool(client, 'list_photos')).isError).toBe(false);
    expect(provider.authorizationUrl).toBeUndefined();
    expect(provider.saved?.refresh_token).not.toBe(first.refresh_token);
    await client.close();
  });

  test('a grant that was ended sends the client back to the person', async () => {
    const provider = new MemoryProvider(METADATA);
    await logInTo(provider);
    provider.authorizationUrl = undefined;
    const body = new URLSearchParams({
      token: provider.saved!.refresh_token!,
      client_id: provider.client!.client_id,
    });
    expect((await fetch(`${example.issuer}/oauth/revoke`, { method: 'POST', body })).status).toBe(200);
    const invalidating: OAuthClientProvider = Object.assign(provider, {
      invalidateCredentials: () => void (provider.saved = undefined),
    });
    await expect(connect(invalidating)).rejects.toThrow(UnauthorizedError);
    await transportFor(provider).finishAuth(
      (await allow(provider.authorizationUrl!)).searchParams.get('code')!,
    );
    const client = await connect(provider);
    expect((await callTool(client, 'list_photos')).isError).toBe(false);
    await client.close();
  });

  test('without a token the challenge points to the metadata of this resource (RFC 9728 §5.1), for pages of other sites, too', async () => {
    const headers = { Origin: 'https://inspector.example', 'Content-Type': 'application/json' };
    const refused = await fetch(mcpUrl, { method: 'POST', headers, body: JSON.stringify(INITIALIZE) });
    expect([
      refused.status,
      refused.headers.get('access-control-allow-origin'),
      refused.headers.get('access-control-expose-headers'),
    ]).toEqual([401, '*', expect.stringContaining('WWW-Authenticate')]);
    const [, metadataUrl = ''] =
      /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '') ?? [];
    expect(await (await fetch(metadataUrl)).json()).toMatchObject({
      resource: mcpUrl,
      authorization_servers: [example.issuer],
      scopes_supported: ['photos:read', 'photos:write'],
    });
    const preflight = await fetch(mcpUrl, {
      method: 'OPTIONS',
      headers: {
        ...headers,
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'authorization,mcp-protocol-version',
      },
    });
    expect([preflight.status, preflight.headers.get('access-control-allow-headers')]).toEqual([
      204,
      'authorization,mcp-protocol-version',
    ]);
  });

  describe('with a token, what is no message', () => {
    const provider = new MemoryProvider(METADATA);
    beforeAll(() => logInTo(provider));

    test.each([
      ['GET', 405, ''],
      ['DELETE', 405, ''],
      ['POST', 400, '{"jsonrpc":'],
      ['POST', 413, JSON.stringify('a'.repeat(4_200_000))],
    ])('%s is answered %i', async (method, status, body) => {
      const response = await fetch(mcpUrl, {
        method,
        headers: {
          Authorization: `Bearer ${provider.saved!.access_token}`,
          'Content-Type': 'application/json',
        },
        ...(body !== '' && { body }),
      });
      expect(response.status).toBe(status);
      if (status !== 405)
        expect(await response.json()).toMatchObject({ jsonrpc: '2.0', error: { code: expect.any(Number) } });
    });
  });
});
