import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import express, { type Express } from 'express';
import session from 'express-session';
import { Passport, type PassportStatic } from 'passport';
import request from 'supertest';

import { consentClientOf } from '../../lib/core/authorization/consent-client.js';
import type { ClientRegistry } from '../../lib/core/clients/registry/client-registry.js';
import { createClientService } from '../../lib/core/clients/registry/client-service.js';
import { createClientRegistry } from '../../lib/core/clients/registry/create-client-registry.js';
import { handle } from '../../lib/core/http/handle.js';
import { createEvents, type OAuthEvents } from '../../lib/core/observability/events.js';
import { createReport } from '../../lib/core/observability/report.js';
import { createPeople } from '../../lib/core/people/people-registry.js';
import { type AuthorizationServerOptions, BUILT_IN, registryOf } from '../../lib/features.js';
import { createApplicationsPages } from '../../lib/pages/applications/applications.js';
import { createRenderConsent } from '../../lib/pages/consent/consent-page.js';
import { localLogin } from '../../lib/pages/login/local-login.js';
import type { LocalLoginOptions } from '../../lib/pages/login/local-login-options.js';
import { offerLoginServices } from '../../lib/pages/login/servers-by-connection.js';
import { createPages } from '../../lib/pages/rendering/rendering.js';
import { parseSettings } from '../../lib/settings/settings.js';
import { OAuthError } from '../../lib/shared/errors.js';
import { createUsers, type Users } from '../../lib/storage/other/users.js';
import { createStores } from '../../lib/storage/stores.js';
import { openDatabase, type TestDatabase } from './database.js';
import { hiddenFields } from './person.js';

export const PEOPLE = ['ada', 'grace'];
export const passwordOf = (name: string): string => `password of ${name}`;

export interface PagesAppOptions {
  readonly settings?: Partial<AuthorizationServerOptions>;
  readonly login?: Partial<LocalLoginOptions>;
  /** Gets the events of the login. Default: nobody hears them. */
  readonly events?: OAuthEvents;
  readonly withSession?: boolean;
  /** Runs on the app first: a host's view engine, its locals. */
  readonly before?: (app: Express) => void;
  /** Where sessions are kept. Default: in memory. */
  readonly store?: session.Store;
}

/** Only the pages, on a small host: bundled login, applications, and routes that show the consent and error pages. */
export interface PagesApp {
  readonly server: Server;
  readonly url: string;
  readonly database: TestDatabase;
  readonly users: Users;
  readonly clients: ClientRegistry;
  readonly errors: OAuthError[];
  /** A browser of its own: cookies and all. */
  agent(): ReturnType<typeof request.agent>;
  idOf(name: string): Promise<string>;
  /** A browser in which a person is logged in. */
  personOf(name: string): Promise<ReturnType<typeof request.agent>>;
  close(): Promise<void>;
}

/** Whom the pages take for an administrator: grace. */
export const isGrace = ({ user }: { readonly user?: unknown }): boolean =>
  (user as { readonly username?: string } | undefined)?.username === 'grace';

/** A small host whose applications grace administers. */
export const startAdministeredApp = (): Promise<PagesApp> =>
  startPagesApp({
    settings: { security: { rateLimits: false }, applications: { isAdministrator: isGrace } },
  });

const running = new Set<PagesApp>();

/** For `afterAll`: closes what a failed test has left open, too. */
export async function closePagesApps(): Promise<void> {
  await Promise.all([...running].map((app) => app.close()));
}

export async function startPagesApp({
  settings: given,
  login,
  events = createEvents(),
  withSession = true,
  before,
  store,
}: PagesAppOptions = {}): Promise<PagesApp> {
  const database = await openDatabase();
  const { connection } = database;
  const errors: OAuthError[] = [];
  const onError = (error: OAuthError) => void errors.push(error);
  const settings = parseSettings(
    {
      issuer: 'http://127.0.0.1:3000',
      connection,
      scopes: { 'photos:read': 'See your photos', 'photos:write': 'Add and delete photos' },
      login: '/login',
      siteName: 'Photos',
      onError,
      ...given,
    },
    registryOf(BUILT_IN),
  );
  const limits = {
    scopes: Object.keys(settings.scopes),
    grantTypes: settings.grantTypes,
    tokenEndpointAuthMethods: ['client_secret_basic', 'client_secret_post', 'none', 'private_key_jwt'],
    methods: BUILT_IN.clientAuthenticationMethods,
  };
  const models = createStores(connection, { timeout: 5000 });
  // SecantusDB hangs for good if its indexes and a first document create a collection at the same time
  await models.ready();
  const operations = createClientService({
    models,
    limits,
    applications: settings.applications,
    defaultScopes: undefined,
  });
  const clients = createClientRegistry(operations);
  const users = createUsers(connection, { rounds: 4 });
  for (const name of PEOPLE)
    await users.create({
      username: name,
      password: passwordOf(name),
      name: `${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    });

  const app = express();
  before?.(app);
  const passport = new Passport() as unknown as PassportStatic;
  if (withSession)
    app.use(
      session({ secret: 'test', resave: false, saveUninitialized: false, ...(store && { store }) }),
      passport.session(),
    );
  offerLoginServices(connection, {
    settings,
    isLoopback: false,
    events,
    sessions: undefined,
    describeRequest: () => Promise.resolve(undefined),
    findRedirectUris: () => Promise.resolve([]),
  });
  // found by the connection, also beside users of another store
  const ofLogin = login?.users === undefined ? users : { ...users, ...login.users };
  app.use(localLogin({ passport, ...login, users: ofLogin }));
  app.get(
    '/',
    (req, res) =>
      void res.send(req.user === undefined ? 'nobody' : `home of ${settings.people.id(req.user)}`),
  );

  const pages = createPages({
    ...settings,
    functionName: 'authorizationServer',
    publicPath: settings.basePath,
    hiddenPath: '',
    languages: BUILT_IN.languages,
  });
  const { renderPage, renderError } = pages;
  app.use(settings.basePath, pages.router);
  app.use(
    `${settings.basePath}/applications`,
    createApplicationsPages({
      settings,
      clients: operations,
      models,
      events,
      people: createPeople({
        ...models,
        service: operations,
        isUser: () => Promise.resolve(undefined),
        endSignIns: undefined,
        emit: () => undefined,
        flushAudit: () => Promise.resolve(),
        serverSecret: settings.serverSecret,
      }),
      clientFailures: { of: () => Promise.resolve(new Map()), close: () => Promise.resolve() },
      grantTypes: BUILT_IN.grantTypes,
      renderPage,
      report: createReport({ onError }),
      renderError,
    }),
  );
  const renderConsent = createRenderConsent({ settings, models, renderPage });
  app.get(
    '/consent',
    handle(async (req, res) => {
      const {
        name,
        redirect_uri: redirectUri,
        scope = '',
        remembered: cached = '',
        request: authorizationRequest = '',
        type,
        logo,
        verified,
      } = req.query as Record<string, string>;
      const client = consentClientOf({
        clientId: 'c',
        name: name ?? '',
        verified: verified === 'true',
        ...(type !== undefined && { type: type as 'confidential' | 'public' }),
        ...(logo !== undefined && { logoUri: logo }),
      });
      const listed = (scopes: string) => scopes.split(' ').filter(Boolean);
      await renderConsent(req, res, {
        client,
        now: new Date(),
        redirectUri: redirectUri ?? '',
        scopes: listed(scope),
        consented: listed(cached),
        authorizationRequest,
        canAskEachTime: true,
      });
    }),
  );
  app.get(
    '/error',
    handle(async (req, res) => {
      const { code = '', description = '', status } = req.query as Record<string, string>;
      await renderError(req, res, {
        error: new OAuthError(code, description, status === undefined ? {} : { status: Number(status) }),
        requestId: 'request-1',
      });
    }),
  );

  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const agent = () => request.agent(server);
  const pagesApp: PagesApp = {
    server,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    database,
    users,
    clients,
    errors,
    agent,
    async idOf(username) {
      return String((await connection.collection('oauth_users').findOne({ username }))?._id);
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
    async close() {
      if (!running.delete(pagesApp)) return;
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await database.close();
    },
  };
  running.add(pagesApp);
  return pagesApp;
}
