import type { Request, RequestHandler } from 'express';

import type { Settings } from '../../settings/settings.js';
import { mountLineOf, saveSession } from '../http/site-session.js';

/** Passport before 0.6: it does not renew the session, and its `logout` takes no callback. */
type EarlierRequest = Request & { logout(): void };

interface SessionOfLogin {
  readonly session?: { oauthLoginAt?: unknown };
}

/**
 * Logs a user in. The session gets a new id, so that an id from before the login is worthless (session fixation).
 * Passport renews it from 0.6 on; for earlier versions this function does.
 */
export async function startLogin(req: Request, user: Express.User, now: Date): Promise<void> {
  if (isEarlier(req)) await renewSession(req);
  await new Promise<void>((resolve, reject) => {
    req.logIn(user, (error?: Error | null) => (error ? reject(error) : resolve()));
  });
  noteLoginTime(req, now.getTime());
  if (isEarlier(req)) await saveSession(req);
}

/** Stores the time of this session's login, in milliseconds since 1970. */
export function noteLoginTime(req: Request, at: number): void {
  const { session } = req as SessionOfLogin;
  // express-session stores changes before the response is sent
  if (session !== undefined) session.oauthLoginAt = at;
}

/** The time that `noteLoginTime` has stored; undefined if the login was not recorded. */
export function loginTimeOf(req: Request): number | undefined {
  const at = (req as SessionOfLogin).session?.oauthLoginAt;
  return typeof at === 'number' ? at : undefined;
}

/** Ends the login: the session gets a new id, and its contents are dropped. */
export async function endLogin(req: Request): Promise<void> {
  if (typeof (req as { logout?: unknown }).logout !== 'function')
    throw new Error(
      `express-authorization-server: req.logout is not there to end a login; write app.use(passport.session()) before ${mountLineOf(req)}`,
    );
  if (isEarlier(req)) {
    req.logout();
    return renewSession(req);
  }
  return new Promise((resolve, reject) => {
    req.logout((error?: Error | null) => (error ? reject(error) : resolve()));
  });
}

function isEarlier(req: Request): req is EarlierRequest {
  return req.logout.length === 0;
}

/** Renews the session; a session that is entirely in its cookie has no id to renew. */
function renewSession(req: Request): Promise<void> {
  const { session } = req as { session?: { regenerate?(done: (error?: Error | null) => void): void } };
  return new Promise((resolve, reject) => {
    if (session?.regenerate === undefined) return resolve();
    session.regenerate((error) => (error ? reject(error) : resolve()));
  });
}

type Done = (error?: unknown) => void;
type LogIn = (user: Express.User, ...rest: readonly unknown[]) => unknown;

/**
 * Wraps the site's handlers, so that the time of a login there is recorded: every Passport strategy logs users in by
 * `req.logIn`.
 */
export function withRecordedLogins(
  { openid, stepUp, people }: Settings,
  next: RequestHandler,
): RequestHandler {
  if ((!openid && !stepUp) || people.authentication !== undefined) return next;
  return function noteLogins(req, res, done) {
    const passports = req as unknown as { logIn?: LogIn; login?: LogIn };
    const { logIn } = passports;
    if (typeof logIn !== 'function') return next(req, res, done);
    // sites also call `req.logIn` to reload a user whose name has changed, which is no login. If the ids cannot be
    // compared, a reload is assumed: clients would trust a login that seems younger than it is
    const isLoggedInAlready = (user: Express.User): boolean => {
      if (req.user === undefined || req.user === null) return false;
      try {
        return people.id(req.user) === people.id(user);
      } catch {
        return true;
      }
    };
    passports.logIn = passports.login = (user, ...rest) => {
      const [first, second] = rest;
      const [options, callback] = typeof first === 'function' ? [{}, first] : [first ?? {}, second];
      // an API token, which does not use the session
      if (typeof callback !== 'function' || (options as { session?: unknown }).session === false)
        return logIn.call(req, user, ...rest);
      const at = isLoggedInAlready(user) ? loginTimeOf(req) : Date.now();
      return logIn.call(req, user, options, (error?: unknown) => {
        if (!error && at !== undefined) noteLoginTime(req, at);
        (callback as Done)(error);
      });
    };
    return next(req, res, done);
  };
}
