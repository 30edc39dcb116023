import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { AuthInfo } from '@modelcontextprotocol/sdk/server/auth/types.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { OAuthClientInformationMixed, OAuthClientMetadata, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js';
import express, { type ErrorRequestHandler } from 'express';
import type { AccessToken } from '../../lib/index.js';
import { createPerson, type Person } from '../support/person.js';
import { openSite, type Site } from '../support/site.js';

const REDIRECT_URL = 'http://127.0.0.1:49152/callback';

/** Compiles only as long as what the guard sets is what the SDK's transport reads. */
export const asAuthInfo = (auth: AccessToken): AuthInfo => auth;

/** A server of one tool, which says what it knows of its caller. */
function createPhotoServer(): McpServer {
  const server = new McpServer({ name: 'photos', version: '1.0.0' });
  server.registerTool('whoami', { description: 'Who am I here?' }, ({ authInfo }) => {
    const { clientId, scopes, userId } = authInfo as AccessToken;
    return { content: [{ type: 'text', text: JSON.stringify({ clientId, scopes, userId }) }] };
  });
  return server;
}

/** The Model Context Protocol at /mcp, behind the guard. */
function mountMcp({ app, oauth, url }: Site): void {
  // TO BE SWAPPED for the guard's own protected resource metadata (RFC 9728), from here …
  const metadataPath = '/.well-known/oauth-protected-resource/mcp';
  app.get(metadataPath, (_req, res) => void res.json({ resource: `${url}/mcp`, authorization_servers: [url], scopes_supported: ['photos:read'] }));
  const pointToMetadata: ErrorRequestHandler = (error: { status?: number; headers?: Record<string, string> }, _req, _res, next) => {
    if (error.status === 401 && error.headers) error.headers['WWW-Authenticate'] += `, resource_metadata="${url}${metadataPath}"`;
    next(error);
  };
  // … to here
  app.post('/mcp', oauth.guard('photos:read'), express.json(), async (req, res) => {
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
    await createPhotoServer().connect(transport);
    await transport.handleRequest(req, res, req.body);
  });
  app.all('/mcp', oauth.guard('photos:read'), (_req, res) => void res.status(405).set('Allow', 'POST').end());
  app.use('/mcp', pointToMetadata, oauth.errorHandler);
}

/** The SDK's way to keep credentials; knows nothing of the server that is not told to it by discovery. */
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

describe('Model Context Protocol, client and server by the official SDK', () => {
  let site: Site;
  let person: Person;
  beforeAll(async () => {
    site = await openSite({ registration: { open: true } });
    mountMcp(site);
    person = createPerson(site);
    await person.logIn();
  });
  afterAll(() => site.close());

  const transportFor = (provider: OAuthClientProvider) => new StreamableHTTPClientTransport(new URL(`${site.url}/mcp`), { authProvider: provider });
  const connect = async (provider: OAuthClientProvider) => {
    const client = new Client({ name: 'assistant', version: '1.0.0' });
    await client.connect(transportFor(provider));
    return client;
  };
  const whoAmI = async (client: Client) => JSON.parse(((await client.callTool({ name: 'whoami' })).content as { text: string }[])[0]!.text) as object;

  /** What the person does in the browser that the client opens. */
  const allow = async (url: URL): Promise<URL> => {
    const page = await person.openAuthorize(url.search.slice(1));
    expect(page.text).toContain('id="consent-unverified"');
    return new URL((await person.choose(page)).headers.location!);
  };
  const logInTo = async (provider: MemoryProvider) => {
    await expect(connect(provider)).rejects.toThrow(UnauthorizedError);
    const back = await allow(provider.authorizationUrl!);
    expect(back.searchParams.get('state')).toBe('the-state');
    await transportFor(provider).finishAuth(back.searchParams.get('code')!);
  };

  test.each(['none', 'client_secret_basic', 'client_secret_post'])('a client with the method %s gets in by discovery and registration alone', async (method) => {
    const provider = new MemoryProvider({ ...METADATA, token_endpoint_auth_method: method });
    await logInTo(provider);
    expect(provider.authorizationUrl?.searchParams.get('code_challenge_method')).toBe('S256');
    expect(provider.client).toMatchObject({ client_id: expect.any(String), scope: 'photos:read' });
    expect('client_secret' in provider.client!).toBe(method !== 'none');

    const client = await connect(provider);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['whoami']);
    expect(await whoAmI(client)).toEqual({ clientId: provider.client?.client_id, scopes: ['photos:read'], userId: 'ada' });
    await client.close();
  });

  test('an access token that has ended is refreshed without the person, and the refresh token rotates', async () => {
    const provider = new MemoryProvider(METADATA);
    await logInTo(provider);
    const first = provider.saved!;
    provider.authorizationUrl = undefined;
    provider.saveTokens({ ...first, access_token: `${first.access_token.slice(0, -4)}AAAA` });
    const client = await connect(provider);
    expect(await whoAmI(client)).toMatchObject({ userId: 'ada' });
    expect(provider.authorizationUrl).toBeUndefined();
    expect(provider.saved?.refresh_token).not.toBe(first.refresh_token);
    await client.close();
  });

  test('a grant that the site has ended sends the client back to the person', async () => {
    const provider = new MemoryProvider(METADATA);
    await logInTo(provider);
    provider.authorizationUrl = undefined;
    await site.oauth.grants.revoke({ clientId: provider.client!.client_id });
    const invalidating: OAuthClientProvider = Object.assign(provider, { invalidateCredentials: () => void (provider.saved = undefined) });
    await expect(connect(invalidating)).rejects.toThrow(UnauthorizedError);
    await transportFor(provider).finishAuth((await allow(provider.authorizationUrl!)).searchParams.get('code')!);
    const client = await connect(provider);
    expect(await whoAmI(client)).toMatchObject({ userId: 'ada' });
    await client.close();
  });
});
