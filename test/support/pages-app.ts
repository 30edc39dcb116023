import type { Server } from 'node:http';

import type { Express } from 'express';
import type session from 'express-session';
import { Passport } from 'passport';
import request from 'supertest';

import {
  type AuthorizationServer,
  type AuthorizationServerOptions,
  createUsers,
  localLogin,
  type LocalLoginOptions,
  type OAuthError,
} from '../../lib/index.js';
import type { TestDatabase } from './database.js';
import { hiddenFields } from './person.js';
import { hostSession, openSite } from './site.js';

export const PEOPLE = ['ada', 'grace'];
export const passwordOf = (name: string): string => `password of ${name}`;

interface PagesAppOptions extends Partial<AuthorizationServerOptions> {
  readonly localLogin?: Partial<LocalLoginOptions>;
  readonly withSession?: boolean;
  /** Runs on the app first: a host's view engine, its locals. */
  readonly before?: (app: Express) => void;
  /** The session store. Default: in memory. */
  readonly store?: session.Store;
}

/** A site with the bundled login and custom users. */
export interface PagesApp {
  readonly server: Server;
  readonly url: string;
  readonly oauth: AuthorizationServer;
  readonly database: TestDatabase;
  readonly users: ReturnType<typeof createUsers>;
  readonly clients: AuthorizationServer['clients'];
  readonly errors: OAuthError[];
  /** A new browser: cookies and all. */
  agent(): ReturnType<typeof request.agent>;
  idOf(name: string): Promise<string>;
  /** A browser with a logged-in user. */
  personOf(name: string): Promise<ReturnType<typeof request.agent>>;
  close(): Promise<void>;
}

/** The administrator of the pages: grace. */
export const isGrace = ({ user }: { readonly user?: unknown }): boolean =>
  (user as { readonly username?: string } | undefined)?.username === 'grace';

/** A small host whose applications grace administers. */
export const startAdministeredApp = (): Promise<PagesApp> =>
  startPagesApp({ security: { rateLimits: false }, applications: { isAdministrator: isGrace } });

const running = new Set<PagesApp>();

/** For `afterAll`: also closes sites that a failed test has left open. */
export async function closePagesApps(): Promise<void> {
  await Promise.all([...running].map((app) => app.close()));
  running.clear();
}

export async function startPagesApp({
  localLogin: login,
  withSession = true,
  before,
  store,
  ...settings
}: PagesAppOptions = {}): Promise<PagesApp> {
  const errors: OAuthError[] = [];
  let users!: PagesApp['users'];
  const site = await openSite({
    scopes: { 'photos:read': 'See your photos', 'photos:write': 'Add and delete photos' },
    siteName: 'Photos',
    onError: (error) => void errors.push(error),
    ...settings,
    ...(before && { before }),
    async mountHost(app, connection) {
      users = createUsers(connection, { rounds: 4 });
      for (const name of PEOPLE)
        await users.create({
          username: name,
          password: passwordOf(name),
          name: `${name.charAt(0).toUpperCase()}${name.slice(1)}`,
        });
      const passport = new Passport();
      if (withSession) app.use(hostSession(store), passport.session());
      // found by the connection, also beside users of another store
      const ofLogin = login?.users === undefined ? users : { ...users, ...login.users };
      app.use(localLogin({ passport, ...login, users: ofLogin }));
      app.get('/', (req, res) => res.send(req.user === undefined ? 'nobody' : `home of ${idIn(req)}`));
    },
  });
  const agent = () => request.agent(site.server);
  const pagesApp: PagesApp = {
    server: site.server,
    url: site.url,
    oauth: site.oauth,
    database: site.database,
    users,
    clients: site.oauth.clients,
    errors,
    agent,
    async idOf(username) {
      return String((await site.database.collection('oauth_users').findOne({ username }))?._id);
    },
    async personOf(name) {
      const person = agent();
      const page = await person.get('/login');
      await person
        .post('/login')
        .type('form')
        .send({ ...hiddenFields(page), username: name, password: passwordOf(name) })
        .expect(303);
      return person;
    },
    close: () => site.close(),
  };
  running.add(pagesApp);
  return pagesApp;
}

const idIn = (req: { readonly user?: unknown }) => (req.user as { readonly id: string }).id;
