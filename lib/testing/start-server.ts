import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import express, { type RequestHandler } from 'express';
import passport, { type PassportStatic } from 'passport';

import { type AuthorizationServer, authorizationServer } from '../authorization-server.js';
import type { AuthorizationServerOptions } from '../features.js';
import { localLogin } from '../pages/login/local-login.js';
import { createUsers, type Users } from '../storage/other/users.js';
import { checkForTests } from './for-tests.js';
import { createTestBrowser, formOf } from './test-browser.js';

/** The options of `authorizationServer`, except those that the server sets; you open and close the `connection`. */
export type TestServerOptions = Omit<AuthorizationServerOptions, 'issuer' | 'login'>;

/** A complete authorization server that listens. */
export interface TestServer<Scopes extends string = string> {
  /** `http://127.0.0.1:<port>` */
  readonly issuer: string;
  readonly oauth: AuthorizationServer<Scopes>;
  /** The users who can log in, in `oauth_users`. */
  readonly users: Users;
  /** Creates a user with this name and logs them in at the login page, for `allow` and `deny`. */
  logIn(username: string): Promise<{ readonly userId: string; readonly cookie: string }>;
  /** Stops the server; the connection stays open. */
  close(): Promise<void>;
}

/**
 * Starts an authorization server with login page and users, on a free port: for tests of a client, or of a resource
 * server behind `bearerGuard`. Needs `express-session`.
 *
 * @throws Error if `NODE_ENV` is `production`, or `express-session` is not installed
 * @throws TypeError if an option of `authorizationServer` is wrong
 * @example
 * const server = await startServer({ connection: mongoose.connection, scopes: { 'albums:read': 'See your albums' } });
 */
export async function startServer<const Scopes extends TestServerOptions['scopes']>(
  options: TestServerOptions & { readonly scopes: Scopes },
): Promise<TestServer<keyof Scopes & string>> {
  checkForTests('startServer');
  const { default: session } = await import('express-session').catch((cause: unknown) => {
    throw new Error('startServer: express-session is needed; npm install --save-dev express-session', {
      cause,
    });
  });
  const app = express();
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const oauth = authorizationServer({ ...options, issuer, login: '/login' });
    // the minimum of bcrypt's rounds, since nobody tries to guess here
    const users = createUsers(options.connection, { rounds: 4 });
    // a separate Passport, so that strategies of the site's tests stay unchanged
    const people = new passport.Passport() as PassportStatic;
    app.use(
      session({ secret: randomBytes(32).toString('hex'), resave: false, saveUninitialized: false }),
      // Passport before 0.6 needs `initialize`
      people.initialize() as RequestHandler,
      people.session() as RequestHandler,
      localLogin({ passport: people, users }),
      oauth.router,
      oauth.errorHandler,
    );
    return {
      issuer,
      oauth,
      users,
      async logIn(username) {
        const password = randomBytes(16).toString('hex');
        const { id } = await users.create({ username, password });
        const browser = createTestBrowser();
        const page = await browser.open(new URL('/login', issuer));
        const form = formOf(page.text, 'login-form');
        const typed = [['username', username] as const, ['password', password] as const];
        const action = new URL(form?.action ?? '', page.url);
        const { url, status } = await browser.submit(action, [...(form?.fields ?? []), ...typed]);
        if (url.pathname === '/login')
          throw new Error(`logIn: the login page refused ${username} (${status})`);
        return { userId: id, cookie: browser.cookie() };
      },
      async close() {
        await Promise.all([stop(server), oauth.close()]);
      },
    };
  } catch (error) {
    await stop(server);
    throw error;
  }
}

async function stop(server: Server): Promise<void> {
  // `close` alone would wait for kept connections
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
}
