import MongoStore from 'connect-mongo';
import type { RequestHandler } from 'express';
import session from 'express-session';
import type { Connection } from 'mongoose';

import { isHttps, type Settings } from '../settings.js';

const DAY = 86_400_000;

/** Sessions of users at the photo site, in MongoDB, so that a restart logs nobody out. */
export function createSessions(
  settings: Settings & { readonly sessionSecret: string },
  connection: Connection,
): RequestHandler {
  return session({
    // cookies belong to a host, not to a port: the printing shop on the same host needs another name
    name: 'photos.sid',
    secret: settings.sessionSecret,
    store: MongoStore.create({ client: connection.getClient(), dbName: connection.name, touchAfter: 600 }),
    resave: false,
    saveUninitialized: false,
    cookie: { httpOnly: true, sameSite: 'lax', secure: isHttps(settings), maxAge: 14 * DAY },
  });
}
