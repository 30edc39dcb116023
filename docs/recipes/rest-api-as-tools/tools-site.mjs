import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import express from 'express';
import { authorizationServer, createUsers, localLogin, OAuthError } from 'express-authorization-server';
import session from 'express-session';
import mongoose from 'mongoose';
import passport from 'passport';
import { z } from 'zod';
import { operations } from './operations.mjs';

const { ISSUER: issuer, MONGODB_URI, SESSION_SECRET: secret, PORT } = process.env;
const { connection } = await mongoose.connect(MONGODB_URI);
const mcpUrl = `${issuer}/mcp`;
const oauth = authorizationServer({
  issuer,
  connection,
  scopes: { 'photos:read': 'See your photos', 'photos:write': 'Add and delete photos' },
  login: '/login',
  resources: { [mcpUrl]: { name: 'Photos for assistants' } },
  agents: true,
});

const route = ({ scopes, input, run }, read) => [
  oauth.guard({ scopes, requireUser: true }),
  async (req, res) => {
    const { data, error } = input.safeParse(read(req));
    if (error)
      throw new OAuthError(
        'invalid_request',
        error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join(', '),
      );
    res.json(await run(data, req.auth));
  },
];
const api = express.Router().use(express.json());
api.get('/photos', ...route(operations.list_photos, (req) => req.query));
api.post('/photos', ...route(operations.add_photo, (req) => req.body));
api.delete('/photos/:id', ...route(operations.delete_photo, (req) => req.params));
api.use(oauth.errorHandler);

function createServer({ auth }) {
  const server = new McpServer({ name: 'Photos', version: '1.0.0' });
  for (const [name, { description, annotations, input, run }] of Object.entries(operations))
    server.registerTool(name, { description, annotations, inputSchema: input }, async (data) => {
      try {
        return { content: [{ type: 'text', text: JSON.stringify(await run(data, auth)) }] };
      } catch (error) {
        if (error instanceof OAuthError) throw error; // the agent reads its description
        console.error(error);
        throw new Error('the site could not do this, please try again later');
      }
    });
  return server;
}
const scopesOf = ([name, { scopes }]) => [name, scopes];
const mcp = oauth.mcp({
  resource: mcpUrl,
  requireUser: true,
  scopes: ['photos:read'],
  tools: Object.fromEntries(Object.entries(operations).map(scopesOf)),
  createServer,
  createTransport: () => new StreamableHTTPServerTransport({ sessionIdGenerator: undefined }),
});

const app = express()
  .use(oauth.clientRouter)
  .use('/api', api)
  .use('/mcp', mcp)
  .use(session({ secret, resave: false, saveUninitialized: false }), passport.session())
  .use(localLogin({ passport, users: createUsers(connection) }), oauth.pageRouter);
app.listen(PORT);

const schemaOf = ({ input }) => z.toJSONSchema(input, { io: 'input' });
const parametersOf = (operation, place) => {
  const { properties, required = [] } = schemaOf(operation);
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: place,
    required: required.includes(name),
    schema,
  }));
};
function describe(operationId) {
  const { description, scopes } = operations[operationId];
  const { security, responses } = oauth.guard({ scopes, requireUser: true }).openapi;
  return { operationId, description, security, responses: { ...responses, 200: { description: 'Done' } } };
}
const { list_photos, add_photo, delete_photo } = operations;
const document = {
  openapi: '3.1.0',
  info: { title: 'Photos', version: '1.0.0' },
  servers: [{ url: issuer }],
  paths: {
    '/api/photos': {
      get: { ...describe('list_photos'), parameters: parametersOf(list_photos, 'query') },
      post: {
        ...describe('add_photo'),
        requestBody: { content: { 'application/json': { schema: schemaOf(add_photo) } } },
      },
    },
    '/api/photos/{id}': {
      delete: { ...describe('delete_photo'), parameters: parametersOf(delete_photo, 'path') },
    },
  },
  components: oauth.openapi(),
};
app.get('/openapi.json', (req, res) => res.json(document));
