import type { Request, RequestHandler } from 'express';

import type { Settings } from '../../settings/settings.js';
import { loginTimeOf, noteLoginTime } from './login-session.js';

type RecordedLoginSettings = Pick<Settings, 'userAuthentication' | 'people'>;
type Done = (error?: unknown) => void;
type LogIn = (user: Express.User, ...rest: readonly unknown[]) => unknown;

/**
 * Goes before the site's own handlers, so that the time of a login there is noted: whichever Passport strategy has
 * found the user, `req.logIn` logs them in.
 */
export function withRecordedLogins(settings: RecordedLoginSettings, next: RequestHandler): RequestHandler {
  const { userAuthentication } = settings;
  if (userAuthentication === false || userAuthentication.read !== undefined) return next;
  return function noteLogins(req, res, done) {
    watchLogins(settings, req);
    return next(req, res, done);
  };
}

function watchLogins(settings: RecordedLoginSettings, req: Request): void {
  const passports = req as unknown as { logIn?: LogIn; login?: LogIn };
  const { logIn } = passports;
  if (typeof logIn !== 'function') return;
  passports.logIn = passports.login = (user, ...rest) => {
    const [first, second] = rest;
    const [options, done] = typeof first === 'function' ? [{}, first] : [first ?? {}, second];
    // an API token, which does not use the session
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
 * Sites also call `req.logIn` to reload a user whose name has changed, at which nobody logs in. In doubt this is
 * assumed, because a login that seems younger than it is would be believed.
 */
function isLoggedInAlready({ people }: RecordedLoginSettings, req: Request, user: Express.User): boolean {
  if (req.user === undefined || req.user === null) return false;
  try {
    return people.id(req.user) === people.id(user);
  } catch {
    return true;
  }
}
