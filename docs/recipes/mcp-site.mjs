import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import express from 'express';
import session from 'express-session';
import mongoose from 'mongoose';
import passport from 'passport';
import { authorizationServer, createUsers, localLogin } from 'express-authorization-server';

const { connection } = await mongoose.connect(process.env.MONGODB_URI);
const mcpUrl = `${process.env.ISSUER}/mcp`;
const oauth = authorizationServer({
  issuer: process.env.ISSUER,
  connection,
  scopes: {
    'photos:read': 'See your photos',
    'photos:write': { description: 'Add photos', implies: ['photos:read'] },
  },
  login: '/login',
  resources: { [mcpUrl]: { name: 'Photos' } },
  agents: true,
});

function createServer() {
  const server = new McpServer({ name: 'Photos', version: '1.0.0' });
  server.registerTool('list_photos', { description: 'Lists the photos of the user.' }, ({ authInfo }) => ({
    content: [{ type: 'text', text: JSON.stringify({ photosOf: authInfo.extra.userId }) }],
  }));
  server.registerTool('add_photo', { description: 'Adds a photo.' }, () => ({
    content: [{ type: 'text', text: 'Added.' }],
  }));
  return server;
}

express()
  .use(oauth.clientRouter)
  .use(
    '/mcp',
    oauth.mcp({
      resource: mcpUrl,
      scopes: ['photos:read'],
      tools: { add_photo: ['photos:write'] },
      createServer,
      createTransport: () => new StreamableHTTPServerTransport({ sessionIdGenerator: undefined }),
    }),
  )
  .use(
    session({ secret: process.env.SESSION_SECRET, resave: false, saveUninitialized: false }),
    passport.session(),
  )
  .use(localLogin({ passport, users: createUsers(connection) }), oauth.pageRouter)
  .listen(process.env.PORT);
