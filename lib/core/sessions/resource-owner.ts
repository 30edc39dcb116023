import type { Request, RequestHandler } from 'express';

import type { Settings } from '../../settings/settings.js';
import type { FetchCaller } from '../../shared/outbound/limit-untrusted-fetch.js';
import { missingSession, mountLineOf } from '../http/site-session.js';

type Person = NonNullable<Request['user']>;
interface PersonSettings {
  readonly people: Pick<Settings['people'], 'isLoggedIn'>;
}

/** The user in `req.user`, if the site says that the login is complete; a promise does not say so. */
export function personOf({ people: { isLoggedIn } }: PersonSettings, req: Request): Person | undefined {
  const { user } = req;
  return user !== undefined && user !== null && isLoggedIn(req) === true ? user : undefined;
}

/**
 * The user who is logged in; undefined if nobody is.
 *
 * @throws Error if the site's login middleware is missing: everybody would be sent to the login for ever
 */
export function resourceOwnerOf(settings: PersonSettings, req: Request): Person | undefined {
  if (req.user !== undefined && req.user !== null) return personOf(settings, req);
  verifyPassport(req);
  return undefined;
}

/** The same check for a login page, which would otherwise show its form to logged-in users, and log nobody out. */
export const requireSession: RequestHandler = (req, _res, next) => {
  if (req.user === undefined || req.user === null) verifyPassport(req);
  next();
};

/** @throws Error for a request without `req.user`, if no middleware has looked for the user */
function verifyPassport(req: Request): void {
  const { session } = req as { readonly session?: { readonly passport?: { readonly user?: unknown } } };
  if (session === undefined) throw missingSession(req);
  // Passport removes a missing user from the session, so nothing has looked for this one
  if (session.passport?.user !== undefined) {
    throw new Error(
      `express-authorization-server: somebody is logged in, but req.user is not set; write app.use(passport.session()) before ${mountLineOf(req)}`,
    );
  }
}

/** The caller of a fetch that a browser's request causes: a user, or a visitor who can log in first. */
export function fetchCallerOf(settings: Settings, req: Request): FetchCaller {
  const person = resourceOwnerOf(settings, req);
  return person === undefined
    ? { ip: req.ip ?? '', isVisitor: true }
    : { userId: settings.people.id(person) };
}
