import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import express from 'express';
import mongoose from 'mongoose';

import { authorizationServer } from '../../lib/index.js';

/** A process of an authorization server with a guarded route, for tests that need several: see processes.ts. */
const { DATABASE_URI = '', ISSUER = '', OPTIONS = '{}' } = process.env;
const connection = await mongoose.createConnection(DATABASE_URI).asPromise();
const oauth = authorizationServer({
  issuer: ISSUER,
  connection,
  scopes: { profile: 'See your name' },
  login: '/login',
  ...(JSON.parse(OPTIONS) as object),
});
const app = express()
  .use(oauth.router)
  .get('/api/me', oauth.guard(), (req, res) => void res.json(req.auth))
  .get('/api/events', oauth.guard(), (req, res) => {
    res.type('text/event-stream').flushHeaders();
    res.write('data: 1\n\n');
    req.auth?.signal?.addEventListener('abort', () => res.end());
  });
process.on('message', (message) => {
  if (message === 'rotate') void oauth.keys.rotate().then(({ kid }) => process.send?.({ kid }));
});
process.on('disconnect', () => process.exit());
const server = createServer(app).listen(0, '127.0.0.1', () =>
  process.send?.({ port: (server.address() as AddressInfo).port }),
);
