import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import express from 'express';
import { bearerGuard, errorHandler } from 'express-authorization-server/guard';
import * as client from 'openid-client';
import { z } from 'zod';

const {
  ISSUER: issuer,
  MCP_URL: resource,
  CLIENT_ID: clientId,
  CLIENT_SECRET: clientSecret,
  PORT,
} = process.env;
const guard = bearerGuard({ issuer, resource, clientId, clientSecret });
const config = await client.discovery(new URL(issuer), clientId, clientSecret, undefined, {
  algorithm: 'oauth2',
  execute: issuer.startsWith('http:') ? [client.allowInsecureRequests] : [],
});

async function exchange(token) {
  const tokens = await client.genericGrantRequest(config, 'urn:ietf:params:oauth:grant-type:token-exchange', {
    subject_token: token,
    subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    resource: issuer,
  });
  return tokens.access_token;
}

/** For each token of an agent, the token for the API, kept for a minute. */
const exchanged = new Map();
function tokenForApi(token) {
  if (!exchanged.has(token)) {
    exchanged.set(token, exchange(token));
    exchanged.get(token).catch(() => exchanged.delete(token));
    setTimeout(() => exchanged.delete(token), 60_000).unref();
  }
  return exchanged.get(token);
}

async function callApi({ token }, path, init = {}) {
  const headers = { Authorization: `Bearer ${await tokenForApi(token)}`, 'Content-Type': 'application/json' };
  const response = await fetch(new URL(path, issuer), { ...init, headers });
  return { isError: !response.ok, content: [{ type: 'text', text: await response.text() }] };
}

function createServer({ auth }) {
  const server = new McpServer({ name: 'Photos', version: '1.0.0' });
  server.registerTool('list_photos', { description: "Lists the user's photos." }, () =>
    callApi(auth, '/api/photos'),
  );
  server.registerTool(
    'add_photo',
    { description: 'Adds a photo.', inputSchema: { title: z.string() } },
    (photo) => callApi(auth, '/api/photos', { method: 'POST', body: JSON.stringify(photo) }),
  );
  return server;
}

express()
  .use(guard.wellKnown)
  .use(
    new URL(resource).pathname,
    guard.mcp({
      scopes: ['photos:read'],
      tools: { add_photo: ['photos:write'] },
      requireUser: true,
      createServer,
      createTransport: () => new StreamableHTTPServerTransport({ sessionIdGenerator: undefined }),
    }),
  )
  .use(errorHandler)
  .listen(PORT);
