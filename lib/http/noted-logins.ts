import type { Request, RequestHandler } from 'express';

import type { Settings } from '../settings/settings.js';
import { loginTimeOf, noteLoginTime } from './login-session.js';

type NotedLoginSettings = Pick<Settings, 'openid' | 'userId'>;
type Done = (error?: unknown) => void;
type LogIn = (user: Express.User, ...rest: readonly unknown[]) => unknown;

/**
 * In front of what the host answers itself, so that a login of its own is noted when it happens: whatever strategy of
 * Passport has found the person, they are logged in by `req.logIn`.
 */
export function withNotedLogins(settings: NotedLoginSettings, next: RequestHandler): RequestHandler {
  if (settings.openid === false || settings.openid.authentication !== undefined) return next;
  return function noteLogins(req, res, done) {
    watchLogins(settings, req);
    return next(req, res, done);
  };
}

function watchLogins(settings: NotedLoginSettings, req: Request): void {
  const passports = req as unknown as { logIn?: LogIn; login?: LogIn };
  const { logIn } = passports;
  if (typeof logIn !== 'function') return;
  passports.logIn = passports.login = (user, ...rest) => {
    const [first, second] = rest;
    const [options, done] = typeof first === 'function' ? [{}, first] : [first ?? {}, second];
    // a token of an API, which leaves the session alone
    if (typeof done !== 'function' || (options as { session?: unknown }).session === false)
      return logIn.call(req, user, ...rest);
    const at = isLoggedInAlready(settings, req, user) ? loginTimeOf(req) : Date.now();
    return logIn.call(req, user, options, (error?: unknown) => {
      if (!error && at !== undefined) noteLoginTime(req, at);
      (done as Done)(error);
    });
  };
}

/**
 * Sites call `req.logIn` as well to read a person anew whose name has changed: nobody has logged in then. In doubt it
 * is so, because a login that is younger than it really was would be believed.
 */
function isLoggedInAlready({ userId }: NotedLoginSettings, req: Request, user: Express.User): boolean {
  if (req.user === undefined || req.user === null) return false;
  try {
    return userId(req.user) === userId(user);
  } catch {
    return true;
  }
}
