import { createServer, type Server } from 'node:http';

import cors from 'cors';
import { csrfSync } from 'csrf-sync';
import express, { type Express, type RequestHandler } from 'express';
import { rateLimit } from 'express-rate-limit';
import session, { MemoryStore } from 'express-session';
import { Passport } from 'passport';

/** Counts the stored sessions of a site. */
class CountingStore extends MemoryStore {
  readonly stored = new Set<string>();

  override set(...[id, data, done]: Parameters<MemoryStore['set']>): void {
    this.stored.add(id);
    super.set(id, data, done);
  }
}

/** The usual middleware in front of a site's pages; an OAuth client cannot get past any of it. */
export interface BusyHostOptions {
  /** Before everything else. */
  readonly first?: (app: Express) => void;
  /** Behind the session, before any refusal. */
  readonly behindSession?: (app: Express) => void;
  /** Behind all of it, in front of the catch-all. */
  readonly last?: (app: Express) => void;
  readonly csrf?: boolean;
  /** The number of admitted requests, for everybody together. */
  readonly limit?: number;
  readonly loginWall?: boolean;
  readonly catchAll?: boolean;
  /** The page at /login. */
  readonly login?: RequestHandler;
  /** The one allowed origin. */
  readonly origin?: string;
  readonly saveUninitialized?: boolean;
}

export interface BusyHost {
  readonly app: Express;
  readonly server: Server;
  /** The ids of the stored sessions. */
  readonly sessions: ReadonlySet<string>;
  /** The number of reads and writes of `req.session`. */
  readonly touches: { count: number };
}

/** A site as others write them, not listening yet. */
export function createBusyHost(options: BusyHostOptions = {}): BusyHost {
  const store = new CountingStore();
  const touches = { count: 0 };
  const app = express();
  options.first?.(app);
  if (options.origin !== undefined) app.use(cors({ origin: [options.origin] }));
  if (options.limit !== undefined)
    app.use(rateLimit({ limit: options.limit, windowMs: 60_000, legacyHeaders: true }));
  app.use(express.json(), express.urlencoded({ extended: true }));
  const { saveUninitialized = true } = options;
  app.use(session({ secret: 'of the host', resave: false, saveUninitialized, store, name: 'host.sid' }));
  app.use(mountLogin(app, options.login));
  app.use(countTouches(touches));
  options.behindSession?.(app);
  if (options.csrf === true) app.use(csrfSync().csrfSynchronisedProtection);
  if (options.loginWall === true)
    app.use((req, res, next) => (req.user === undefined ? res.redirect('/login') : next()));
  options.last?.(app);
  if (options.catchAll === true) app.use((_req, res) => res.send('<!doctype html><div id="root"></div>'));
  return { app, server: createServer(app), sessions: store.stored, touches };
}

/** A posted name is logged in as that user. */
function mountLogin(
  app: Express,
  show: RequestHandler = (_req, res) => void res.send('<form method="post"></form>'),
): RequestHandler {
  const passport = new Passport();
  passport.serializeUser((user, done) => done(null, (user as { id: string }).id));
  passport.deserializeUser((id: string, done) => done(null, { id, name: `Name of ${id}` }));
  app.post('/login', passport.session(), (req, res, next) => {
    const { username } = req.body as { username: string };
    req.logIn({ id: username }, (error) => (error ? next(error) : res.redirect('/')));
  });
  app.get('/login', show);
  return passport.session();
}

/** Counts from here on, after express-session itself and Passport. */
function countTouches(touches: { count: number }): RequestHandler {
  return (req, _res, next) => {
    let stored: unknown = (req as { session?: unknown }).session;
    Object.defineProperty(req, 'session', {
      configurable: true,
      get() {
        // behind the code that completes sessions of cookie-session, which passes on the requests of others
        const [, , ...callers] = new Error().stack?.split('\n') ?? [];
        const reader = callers.find((line) => !line.includes('sessions/cookie-session')) ?? '';
        if (!reader.includes('node_modules/express-session')) touches.count += 1;
        return stored;
      },
      set(value) {
        stored = value;
      },
    });
    next();
  };
}
