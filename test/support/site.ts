import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import express, { type Express, type RequestHandler } from 'express';
import session from 'express-session';
import type { Connection } from 'mongoose';
import { Passport, type PassportStatic } from 'passport';
import { Strategy } from 'passport-local';

import { assemble } from '../../lib/authorization-server.js';
import { BUILT_IN, type BuiltIn } from '../../lib/features.js';
import {
  type AuthorizationServer,
  authorizationServer,
  type AuthorizationServerOptions,
  type ClientWithSecret,
  type NewClient,
  safeReturnPath,
} from '../../lib/index.js';
import { lazy } from '../../lib/shared/lazy.js';
import { connectionFor, type OpenDatabase, type TestDatabase } from './database.js';
import { type Disposable, disposable } from './disposable.js';
import { mergeOptions } from './merge-options.js';
import { lend, takeDatabase } from './site-database.js';

/** People of the test site; the password of each is `password of <name>`. */
const PEOPLE = ['ada', 'ada-of-lantern', 'grace', 'bob', 'eve'];

export const SCOPES = {
  'photos:read': 'See your photos',
  'photos:write': 'Add and delete photos',
  profile: 'See your name',
};
/** Encrypts the signing keys of the test site. */
export const KEY_SECRET = 'a secret of the test site, 32 characters at least';
export const REDIRECT_URI = 'https://print.example/callback';
const REDIRECTING = ['authorization_code', 'implicit'];

export interface Site extends Disposable {
  readonly app: Express;
  readonly server: Server;
  /** `http://127.0.0.1:<port>`, where it listens, or with another name of loopback. */
  readonly url: string;
  readonly oauth: AuthorizationServer;
  readonly database: TestDatabase;
  /** Every error for the host, the newest last. */
  readonly errors: {
    readonly error: string;
    readonly detail: string | undefined;
    readonly endpoint: string;
    readonly requestId: string;
  }[];
  /** Registers a client, by default a confidential one for codes. */
  client(options?: Partial<NewClient>): Promise<ClientWithSecret>;
  close(): Promise<void>;
}

export interface SiteOptions extends Partial<AuthorizationServerOptions> {
  /** Runs on the app before the session, like a host's middleware. */
  readonly before?: (app: Express) => void;
  /** The login of the host instead of the usual one, mounted behind the session and `passport.session()`. */
  readonly mountLogin?: (app: Express, passport: PassportStatic) => void;
  /** The session and login of the host instead of the usual ones. */
  readonly mountHost?: (app: Express, connection: Connection) => void | Promise<void>;
  /** The host name in its address, on loopback. Default: `127.0.0.1`. */
  readonly hostname?: string;
  /** A database to use instead of a new one; it is not dropped at the end. */
  readonly database?: OpenDatabase;
  /** Does not wait for its indexes, as hosts need not. */
  readonly unready?: boolean;
  /** The existing features. Default: those of the package. */
  readonly builtIn?: BuiltIn;
}

/** A small host site with its Passport login, the authorization server and a guarded API, listening on loopback. */
export async function openSite({
  before,
  mountLogin = mountDefaultLogin,
  mountHost = (app) => mountLogin(app, mountSession(app)),
  hostname = '127.0.0.1',
  database: given,
  builtIn = BUILT_IN,
  unready = false,
  ...options
}: SiteOptions = {}): Promise<Site> {
  const database = given === undefined ? await takeDatabase() : lend(given);
  const app = express();
  const isBehindTls = options.issuer?.startsWith('https:') === true && before === undefined;
  // otherwise a busy server closes an idle connection just when its client sends the next request
  const server = createServer({ keepAliveTimeout: 0 }, (req, res) => {
    // the header of a proxy that ends TLS for a public site
    if (isBehindTls) req.headers['x-forwarded-proto'] ??= 'https';
    app(req, res);
  });
  if (isBehindTls) app.set('trust proxy', 'loopback');
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://${hostname}:${(server.address() as AddressInfo).port}`;
  const errors: Site['errors'] = [];
  const issuer = options.issuer ?? url;
  const connection = connectionFor(issuer, database.connection);
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  const oauth = await assembleOr(
    async () => {
      await stop();
      await database.close();
    },
    mergeOptions(
      {
        issuer,
        connection,
        scopes: SCOPES,
        login: '/login',
        signingKeys: { encryptionSecret: KEY_SECRET },
        // a database that is busy with other suites is late, not down
        advanced: { databaseTimeout: 60_000 },
        people: {
          authenticate: (username, password) =>
            Promise.resolve(isRight(username, password) ? username : null),
        },
        onError: (error, { endpoint, requestId }) =>
          errors.push({ error: error.error, detail: error.detail, endpoint, requestId }),
      } satisfies AuthorizationServerOptions,
      options,
    ),
    builtIn,
  );
  if (!unready) {
    // tests put several issuers on one database on purpose: each site records its issuer anew
    if (given !== undefined) await given.connection.collection('oauth_issuers').deleteMany({});
    await oauth.ready();
    database.untilIdle();
  }
  before?.(app);
  await mountHost(app, connection);
  app.use(oauth.router);
  mountApi(app, oauth);
  return {
    ...disposable,
    app,
    server,
    url,
    oauth,
    database,
    errors,
    client(overrides = {}) {
      const {
        grantTypes = [...oauth.clients.limits.grantTypes].filter(
          (name) => name !== 'client_credentials' || overrides.type !== 'public',
        ),
      } = overrides;
      return oauth.clients.create({
        name: 'Printing shop',
        // a client without a grant type that uses it may have none
        redirectUris: [grantTypes].flat().some((name) => REDIRECTING.includes(name)) ? [REDIRECT_URI] : [],
        ...overrides,
        grantTypes,
      });
    },
    // once: a database that is given back twice would be lent to two sites
    close: lazy(async () => {
      await stop();
      await oauth.close();
      await database.close();
    }),
  };
}

/** A server like that of a site, which opens nothing: for options that are refused, or not. */
export function startLike({ url, database }: Site, options: object): AuthorizationServer {
  const given = { issuer: url, scopes: SCOPES, login: '/login', ...options };
  return authorizationServer({ ...given, connection: connectionFor(given.issuer, database.connection) });
}

/** Closes everything if the options are refused. */
async function assembleOr(close: () => Promise<void>, ...given: Parameters<typeof assemble>) {
  try {
    return assemble(...given);
  } catch (refusal) {
    await close();
    throw refusal;
  }
}

function isRight(username: unknown, password: unknown): boolean {
  return PEOPLE.includes(String(username)) && password === `password of ${String(username)}`;
}

/** The host's session and its users. */
function mountSession(app: Express): PassportStatic {
  const passport = new Passport() as unknown as PassportStatic;
  passport.use(
    new Strategy((username, password, done) =>
      done(null, isRight(username, password) ? { id: username, name: `Name of ${username}` } : false),
    ),
  );
  passport.serializeUser((user, done) => done(null, (user as { id: string }).id));
  passport.deserializeUser((id: string, done) => done(null, { id, name: `Name of ${id}` }));
  app.use(hostSession(), passport.session());
  return passport;
}

/** The host's sessions, by default in memory. */
export function hostSession(store?: session.Store): RequestHandler {
  return session({
    secret: 'of the test',
    resave: false,
    saveUninitialized: false,
    name: 'site.sid',
    cookie: { sameSite: 'lax' },
    ...(store && { store }),
  });
}

/** The host's usual login: its form, and the return path. */
export function mountDefaultLogin(app: Express, passport: PassportStatic): void {
  app.get('/login', (_req, res) => res.send('<form method="post"></form>'));
  app.post('/login', express.urlencoded({ extended: false }), passport.authenticate('local'), (req, res) =>
    res.redirect(303, safeReturnPath(req.query.return_to)),
  );
  app.post('/logout', (req, res, next) =>
    req.logout((error) => (error ? next(error) : res.redirect(303, '/'))),
  );
}

function mountApi(app: Express, oauth: AuthorizationServer): void {
  const reading = Object.keys(SCOPES).every((scope) => oauth.clients.limits.scopes.includes(scope));
  app.get('/api/me', oauth.guard(), (req, res) => res.json(req.auth));
  app.get('/api/maybe', oauth.guard({ optional: true }), (req, res) =>
    res.json(req.auth ?? { nobody: true }),
  );
  if (reading) {
    app.get('/api/photos', oauth.guard('photos:read'), (req, res) => res.json(req.auth));
    app.post(
      '/api/photos',
      express.urlencoded({ extended: false }),
      oauth.guard('photos:read', 'photos:write'),
      (req, res) => res.status(201).json(req.auth),
    );
    app.get('/api/any', oauth.guard.any('photos:write', 'profile'), (req, res) => res.json(req.auth));
  }
  app.use('/api', oauth.errorHandler);
}
