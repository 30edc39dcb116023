import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';

import { KNOWN_CLIENTS } from '../../lib/cli/doctor/agents/known-clients.js';
import { openSite, type Site } from '../support/site.js';
import { blocks, textOf } from './blocks.js';

const DOCUMENT = 'docs/agents.md';
const MCP_URL = 'https://photos.example/mcp';

/** The rows of the table of agents: the name, and the redirect URIs as they are written. */
const rows = new Map(
  [...textOf(DOCUMENT).matchAll(/^\| ([^|]+) \|[^|]+\|[^|]+\| (`(?:https?|cursor):[^|]+) \|$/gm)].map(
    ([, name = '', cell = '']) => [name, [...cell.matchAll(/`([^`]+)`/g)].map(([, uri = '']) => uri)],
  ),
);

describe('docs/agents.md', () => {
  let site: Site;
  beforeAll(async () => {
    site = await openSite({
      agents: true,
      security: { rateLimits: false },
      resources: { [MCP_URL]: { scopes: ['photos:read'] } },
    });
  });
  afterAll(() => site.close());

  test('each configuration is JSON in the form of its agent, with the endpoint', () => {
    const configurations = blocks
      .filter(({ document, language }) => document === DOCUMENT && language === 'json')
      .map(({ text }) => JSON.parse(text) as Record<string, Record<string, object>>);
    expect(configurations).toEqual([
      { servers: { photos: { type: 'http', url: MCP_URL } } },
      { mcpServers: { photos: { url: MCP_URL } } },
    ]);
  });

  test('the redirect URIs are those with which doctor plays the agents', () => {
    expect([...rows.keys()]).toEqual([
      'Claude',
      'Claude Code',
      'ChatGPT',
      'VS Code',
      'Cursor',
      'MCP Inspector',
    ]);
    for (const { name, redirectUris } of KNOWN_CLIENTS) {
      const written = rows.get(name === 'A command line' ? 'Claude Code' : name) ?? [];
      // the last part of one is an id
      expect([name, redirectUris.map((uri) => uri.replace(/\/doctor$/, '/'))]).toEqual([name, written]);
    }
  });

  test.each([...rows])('agents: true lets %s register with them', async (_name, written) => {
    const redirect_uris = written.map((uri) => (uri.endsWith('/connector/oauth/') ? `${uri}abc` : uri));
    const { status, body } = await request(site.server)
      .post('/oauth/register')
      .send({ client_name: 'An agent', redirect_uris, token_endpoint_auth_method: 'none' });
    expect([status, body.redirect_uris]).toEqual([201, redirect_uris]);
  });
});
