import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import MongoStore from 'connect-mongo';
import express from 'express';
import { authorizationServer, createUsers, localLogin } from 'express-authorization-server';
import session from 'express-session';
import mongoose from 'mongoose';
import passport from 'passport';

const secret = (name) => readFileSync(process.env[`${name}_FILE`], 'utf8').trim();
const { connection } = await mongoose.connect(secret('MONGODB_URI'));
const oauth = authorizationServer({
  issuer: process.env.ISSUER,
  connection,
  scopes: { 'photos:read': 'See your photos' },
  login: '/login',
  signingKeys: { encryptionSecret: secret('KEY_SECRET') },
});
await oauth.ready(); // if it rejects, the process ends, and starts again

let isStopping = false;
const app = express();
app.set('trust proxy', 1);
app.get('/health/live', (req, res) => res.sendStatus(200));
app.get('/health/ready', async (req, res) => {
  const health = await oauth.health();
  res.status(isStopping || health.status === 'fail' ? 503 : 200).json(health);
});
app.use((req, res, next) => {
  if (isStopping) res.set('Connection', 'close'); // the next request of this connection goes to another process
  next();
});
app.use(oauth.clientRouter);
app.get('/api/photos', oauth.guard('photos:read'), (req, res) => res.json({ photosOf: req.auth.userId }));
app.use(
  session({
    secret: secret('SESSION_SECRET'),
    store: MongoStore.create({ client: connection.getClient() }),
    resave: false,
    saveUninitialized: false,
    cookie: { secure: true, httpOnly: true, sameSite: 'lax' },
  }),
);
app.use(passport.session());
app.use(localLogin({ passport, users: createUsers(connection) }));
app.use(oauth.pageRouter, oauth.errorHandler);

const server = app.listen(3000);
server.keepAliveTimeout = 130_000; // longer than the proxy keeps its connections (Caddy: 2 minutes)

process.once('SIGTERM', async () => {
  isStopping = true;
  // whatever hangs, a database or a socket, the process ends before its supervisor kills it
  setTimeout(() => process.exit(1), 25_000).unref();
  await delay(6_000); // until the proxy has noticed
  server.close();
  server.closeIdleConnections();
  const late = setTimeout(() => server.closeAllConnections(), 10_000);
  await once(server, 'close');
  clearTimeout(late);
  await oauth.close(); // takes advanced.databaseTimeout at most
  await mongoose.disconnect();
});
