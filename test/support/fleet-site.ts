import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import MongoStore from 'connect-mongo';
import express, { type NextFunction, type Request, type Response } from 'express';
import { authorizationServer } from 'express-authorization-server';
import session from 'express-session';
import mongoose from 'mongoose';

/**
 * One of many processes of a site on the compiled package: a login, shared sessions, an API, and the work of an
 * operator. It knows no more than a second machine would. See test/scale/fleet.ts.
 */
const { DATABASE_URI = '', ISSUER = '' } = process.env;
// the indexes exist already: the starter of the fleet has made them
const connection = await mongoose
  .createConnection(DATABASE_URI, { monitorCommands: true, autoIndex: false, autoCreate: false })
  .asPromise();
const oauth = authorizationServer({
  issuer: ISSUER,
  connection,
  scopes: { profile: 'See your name' },
  login: '/login',
  tokens: { accessTokenFormat: 'jwt' },
  signingKeys: { encryptionSecret: 'a secret of the fleet, 32 characters at least', publishAhead: 2 },
  guard: { cache: true },
  security: { rateLimits: false },
  advanced: { databaseTimeout: 20_000 },
  people: { id: (user) => (user as { id: string }).id },
  onError: (error) => void (error.status === 500 && console.error(error.cause ?? error)),
});

/** The number of reads of a grant here. */
const seen = { reads: 0 };
connection.getClient().on('commandStarted', ({ commandName, command }) => {
  if (commandName === 'find' && (command as { find?: string }).find === 'oauth_grants') seen.reads += 1;
});

let isStopping = false;
const app = express()
  .disable('x-powered-by')
  .use((_req, res, next) => {
    if (isStopping) res.set('Connection', 'close');
    next();
  })
  .get('/api/me', oauth.guard('profile'), (req, res) => {
    res.json({ userId: req.auth?.userId });
  })
  .post('/operator/:act', express.json(), (req, res, next) => {
    const { userId = '', clientId = '' } = req.body as { userId?: string; clientId?: string };
    const acts: Readonly<Record<string, () => Promise<unknown>>> = {
      'end-user': () => oauth.grants.revoke({ userId }),
      block: () => oauth.clients.block(clientId),
      unblock: () => oauth.clients.unblock(clientId),
      rotate: () => oauth.keys.rotate(),
      seen: () => Promise.resolve(seen),
    };
    const act = acts[req.params.act];
    if (act === undefined) return void res.sendStatus(404);
    act().then((done) => res.json(done ?? null), next);
  })
  .use(
    session({
      secret: 'of the fleet',
      resave: false,
      saveUninitialized: false,
      store: MongoStore.create({ client: connection.getClient(), dbName: connection.name }),
    }),
  )
  .use((req, _res, next) => {
    const { name } = req.session as { name?: string };
    if (name !== undefined) req.user = { id: name };
    next();
  })
  .post('/login', express.urlencoded({ extended: false }), (req, res) => {
    const { name, return_to: to } = req.body as { name: string; return_to: string };
    (req.session as { name?: string }).name = name;
    res.redirect(303, to);
  })
  .use(oauth.router)
  .use(
    (
      error: { status?: number; detail?: string; message: string },
      _req: Request,
      res: Response,
      _next: NextFunction,
    ) => {
      // so that a failure of the fleet has a cause
      res.status(error.status ?? 500).json({ detail: error.detail ?? error.message });
    },
  );

const server = createServer(app).listen(0, '127.0.0.1', () =>
  process.send?.({ port: (server.address() as AddressInfo).port }),
);

/** As docs/operations.md recommends. */
process.once('SIGTERM', () => {
  isStopping = true;
  server.close();
  server.closeIdleConnections();
  void once(server, 'close')
    .then(() => oauth.close())
    .then(() => connection.close())
    .then(() => process.exit(0));
});
process.on('disconnect', () => process.exit());
