import { randomBytes } from 'node:crypto';

import type { Request, RequestHandler } from 'express';
import session from 'express-session';

/** Who has signed in, as the photo site names them. */
export interface Account {
  readonly sub: string;
  readonly name: string;
  /** The library that has done it. */
  readonly by: string;
  /** Shown again when they log out. */
  readonly idToken: string;
}

/** Sessions of the shop's visitors; in memory, since a printing shop that forgets is no harm in an example. */
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

/** A new id for the session, so that one from before is worthless (session fixation). */
export function regenerate(req: Request): Promise<void> {
  return new Promise((resolve, reject) => {
    req.session.regenerate((error: Error | null) => (error ? reject(error) : resolve()));
  });
}
