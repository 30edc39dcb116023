import { beforeAll, describe, expect, test } from '@jest/globals';

import type { AuthorizationServerOptions } from '../../../lib/index.js';
import { openSite, REDIRECT_URI } from '../../support/site.js';
import { fixture, siteFor } from '../../support/site-for.js';
import { exchange, exchanged, exchanger, handingOn } from '../../support/token-exchange.js';
import { callApi, introspectAs, obtainTokens } from '../../support/tokens.js';

const ISSUER = 'https://photos.example';
const MCP = `${ISSUER}/mcp`;
const ALBUMS = 'https://albums.example';
const OTHER = 'https://other.example';

/** The agent's token, which is allowed at the MCP server only. */
let token: string;
const site = siteFor({
  issuer: ISSUER,
  // URLs in other spellings
  tokenExchange: { targets: { [MCP]: [`${ISSUER}/`, ALBUMS], [ISSUER]: [OTHER] } },
  resources: { [MCP]: {}, [ALBUMS]: { scopes: ['profile'], accessTokenFormat: 'jwt' }, [OTHER]: {} },
});
const mcpServer = fixture(() => exchanger(site, { name: 'MCP server', resources: [MCP] }));
const agent = fixture(() => handingOn(site, []));

beforeAll(async () => {
  const allowed = { query: { resource: MCP, scope: 'photos:read' } };
  token = (await obtainTokens(site, agent, allowed)).access_token;
});

const statusFor = async (presented: string) => (await callApi(site, presented)).status;
const refusal = async (...given: Parameters<typeof exchange>) => {
  const { status, body } = await exchange(...given);
  return [status, (body as { error: string }).error];
};

describe('the server of a resource in targets', () => {
  test('targets let the server of a resource exchange its token for another resource', async () => {
    expect(await statusFor(token)).toBe(401);
    const forApi = await exchanged(site, mcpServer, token, { resource: ISSUER });
    const { status, body } = await callApi(site, forApi);
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({
        userId: 'ada',
        clientId: mcpServer.clientId,
        actor: { sub: mcpServer.clientId },
        scopes: ['photos:read'],
      }),
    ]);
  });

  test('an exchange by targets yields only scopes that the person and the resource allow', async () => {
    const more = { resource: ISSUER, scope: 'photos:read profile' };
    expect(await refusal(site, mcpServer, token, more)).toEqual([400, 'invalid_scope']);
    expect(await refusal(site, mcpServer, token, { resource: ALBUMS })).toEqual([400, 'invalid_scope']);
  });

  test('targets allow no unlisted resource, directly or by a second exchange', async () => {
    expect(await refusal(site, mcpServer, token, { resource: OTHER })).toEqual([400, 'invalid_target']);
    const forApi = await exchanged(site, mcpServer, token, { resource: ISSUER });
    expect(await refusal(site, mcpServer, forApi, { resource: OTHER })).toEqual([400, 'invalid_target']);
  });

  test('a token by targets ends with the grant', async () => {
    const { access_token: subject } = await obtainTokens(site, agent, {
      query: { resource: MCP, scope: 'photos:read' },
    });
    const forApi = await exchanged(site, mcpServer, subject, { resource: ISSUER });
    expect(await statusFor(forApi)).toBe(200);
    await site.oauth.grants.revoke({ userId: 'ada', clientId: agent.clientId });
    expect(await statusFor(forApi)).toBe(401);
    token = (await obtainTokens(site, agent, { query: { resource: MCP, scope: 'photos:read' } }))
      .access_token;
  });

  test('targets of the issuer let the server of the site’s API exchange a token', async () => {
    const api = await exchanger(site, { name: 'API', resources: [ISSUER] });
    const { access_token: own } = await obtainTokens(site, agent, { query: { scope: 'photos:read' } });
    const forOther = await exchanged(site, api, own, { resource: OTHER });
    const asking = await site.client({
      introspection: true,
      grantTypes: ['client_credentials'],
      redirectUris: [],
    });
    expect(await introspectAs(site, asking, forOther)).toMatchObject({ active: true, aud: OTHER });
  });
});

describe('other clients', () => {
  test('targets allow no exchange to the agent itself or to a client in its mayAct', async () => {
    const delegate = await exchanger(site, { name: 'Delegate' });
    const both = await exchanger(site, {
      name: 'Agent that may exchange',
      grantTypes: ['authorization_code', 'urn:ietf:params:oauth:grant-type:token-exchange'],
      redirectUris: [REDIRECT_URI],
      mayAct: [delegate.clientId],
    });
    const { access_token: own } = await obtainTokens(site, both, {
      query: { resource: MCP, scope: 'photos:read' },
    });
    for (const client of [both, delegate]) {
      expect(await refusal(site, client, own, { resource: ISSUER })).toEqual([400, 'invalid_target']);
      await exchange(site, client, own).expect(200);
    }
  });
});

test.each<[string, object, string]>([
  ['an unknown resource', { 'https://x.example': [MCP] }, "'https://x.example', which is neither the issuer"],
  ['an unknown target', { [MCP]: ['https://x.example'] }, "'https://x.example', which is neither the issuer"],
  ['a resource as its own target', { [MCP]: [MCP] }, 'as its own target'],
  ['no target', { [MCP]: [] }, 'a list of resources'],
  ['a target that is no list', { [MCP]: ISSUER }, 'a list of resources'],
])('targets with %s are refused when the server starts', async (_what, targets, problem) => {
  const options = { issuer: ISSUER, resources: { [MCP]: {} }, tokenExchange: { targets } };
  await expect(openSite(options as Partial<AuthorizationServerOptions>)).rejects.toThrow(problem);
});
