import { describe, expect, test } from '@jest/globals';
import request from 'supertest';

import { KNOWN_CLIENTS } from '../../lib/cli/doctor/agents/known-clients.js';
import { siteFor } from '../support/site-for.js';
import { blocks, textOf } from './blocks.js';

const DOCUMENT = 'docs/agents.md';
const MCP_URL = 'https://photos.example/mcp';

describe('docs/agents.md', () => {
  const site = siteFor({
    agents: true,
    security: { rateLimits: false },
    resources: { [MCP_URL]: { scopes: ['photos:read'] } },
  });

  test('each configuration is JSON in the form of its agent, with the endpoint', () => {
    const configurations = blocks
      .filter(({ document, language }) => document === DOCUMENT && language === 'json')
      .map(({ text }) => JSON.parse(text) as Record<string, Record<string, object>>);
    expect(configurations).toEqual([
      { servers: { photos: { type: 'http', url: MCP_URL } } },
      { mcpServers: { photos: { url: MCP_URL } } },
    ]);
  });

  const inspector = [...textOf(DOCUMENT).matchAll(/`(http:[^`]+\/oauth\/callback)`/g)].map(
    ([, uri = '']) => uri,
  );
  const agents = [...KNOWN_CLIENTS, { name: 'the Inspector', redirectUris: inspector }];

  test.each(agents)('agents: true lets $name register with its redirect URIs', async (agent) => {
    const redirect_uris = [...agent.redirectUris];
    expect(redirect_uris).not.toEqual([]);
    const { status, body } = await request(site.server)
      .post('/oauth/register')
      .send({ client_name: 'An agent', redirect_uris, token_endpoint_auth_method: 'none' });
    expect([status, body.redirect_uris]).toEqual([201, redirect_uris]);
  });
});
