import { randomBytes } from 'node:crypto';

import type { Request, RequestHandler } from 'express';
import session from 'express-session';

/** A signed-in account of the photo site. */
export interface Account {
  readonly sub: string;
  readonly name: string;
  /** The library of the sign-in. */
  readonly by: string;
  /** The hint for a logout. */
  readonly idToken: string;
}

/** Sessions of the shop's visitors; in memory, because an example may forget them. */
export function createShopSessions(): RequestHandler {
  return session({
    // not the photo site's name: cookies belong to a host, not to a port
    name: 'shop.sid',
    secret: randomBytes(32).toString('base64url'),
    resave: false,
    saveUninitialized: false,
    cookie: { httpOnly: true, sameSite: 'lax', maxAge: 3_600_000 },
  });
}

/** Gives the session a new id, so that an earlier one is worthless (session fixation). */
export function regenerate(req: Request): Promise<void> {
  return new Promise((resolve, reject) => {
    req.session.regenerate((error: Error | null) => (error ? reject(error) : resolve()));
  });
}
