import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import express, { type Express } from 'express';
import session from 'express-session';
import { Passport, type PassportStatic } from 'passport';
import type { Page } from 'playwright-core';

import {
  type AuthorizationServer,
  authorizationServer,
  type AuthorizationServerOptions,
  createUsers,
  localLogin,
} from '../../lib/index.js';
import { openDatabase, type TestDatabase } from './database.js';
import { mergeOptions } from './merge-options.js';

/** A whole site with the bundled login, for a browser: `http://localhost:<port>`. */
export interface PagesSite {
  readonly url: string;
  readonly oauth: AuthorizationServer;
  readonly database: TestDatabase;
  /** Where a client waits for its answer, on this site: `/callback` shows what has arrived. */
  readonly callback: string;
  close(): Promise<void>;
}

export const PERSON = { username: 'ada', password: 'correct horse battery', name: 'Ada Lovelace' };
export const OTHER_PERSON = { username: 'grace', password: 'nanoseconds of wire', name: 'Grace Hopper' };

/** Logs in on the login page of the package, or on one with its ids. */
export async function submitLogin(
  page: Page,
  { username, password }: { readonly username: string; readonly password: string } = PERSON,
): Promise<void> {
  await page.fill('#username', username);
  await page.fill('#password', password);
  await page.click('#login-submit');
}

export interface PagesSiteOptions extends Partial<AuthorizationServerOptions> {
  readonly personName?: string;
  /** Runs on the app first: a host's view engine, its files. */
  readonly before?: (app: Express) => void;
}

export async function openPagesSite({
  personName,
  before,
  ...options
}: PagesSiteOptions = {}): Promise<PagesSite> {
  const database = await openDatabase();
  const app = express();
  before?.(app);
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://localhost:${(server.address() as AddressInfo).port}`;
  const users = createUsers(database.connection, { rounds: 4 });
  await users.create({ ...PERSON, ...(personName !== undefined && { name: personName }) });
  await users.create(OTHER_PERSON);
  const passport = new Passport() as unknown as PassportStatic;
  const onError = () => undefined;
  const defaults: AuthorizationServerOptions = {
    issuer: url,
    connection: database.connection,
    siteName: 'Lantern Photos',
    scopes: {
      profile: { description: 'See your name', optional: false },
      'photos:read': 'See your photos',
      'photos:write': 'Add photos to your album',
      'friends:read': 'See who your friends are',
    },
    login: '/login',
    security: { rateLimits: false },
    onError,
  };
  const oauth = authorizationServer(mergeOptions(defaults, options));
  await oauth.ready();
  app.use(
    session({
      secret: 'of the test',
      resave: false,
      saveUninitialized: false,
      name: 'site.sid',
      cookie: { sameSite: 'lax' },
    }),
    passport.session(),
  );
  app.use(localLogin({ passport, users }));
  app.use(oauth.router);
  app.get('/callback', (_req, res) =>
    res.send('<!doctype html><html lang="en"><title>Client</title><p id="back">back at the client</p>'),
  );
  app.get('/', (req, res) =>
    res.send(
      `<!doctype html><html lang="en"><title>Home</title><p id="who">${req.user === undefined ? 'nobody' : 'somebody'}</p>`,
    ),
  );
  return {
    url,
    oauth,
    database,
    callback: `${url}/callback`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await database.close();
    },
  };
}
