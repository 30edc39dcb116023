import type { Request, RequestHandler } from 'express';

/** Waits for the store before the response is sent: the browser may come back faster than a store writes. */
export function saveSession(req: Request): Promise<void> {
  const { session } = req as { session?: { save?(done: (error?: Error | null) => void): void } };
  return new Promise((resolve, reject) => {
    if (session?.save === undefined) return resolve();
    session.save((error) => (error ? reject(error) : resolve()));
  });
}

/** The router with everything. */
const WHOLE_SERVER = 'oauth.router';

const names = new WeakMap<Request, string>();

/**
 * Mounted before pages, so that a message about the order of middleware names the router that the site mounted. The
 * first name of a request stays: a router is mounted as part of a larger one.
 */
export function mountedAs(name: string): RequestHandler {
  return (req, _res, next) => {
    if (!names.has(req)) names.set(req, name);
    next();
  };
}

/** The line in the site's code that mounted the router of this request. */
export function mountLineOf(req: Request): string {
  return `app.use(${names.get(req) ?? WHOLE_SERVER})`;
}

export function missingSession(req: Request): Error {
  return new Error(
    `express-authorization-server: there is no session; write app.use(session({ … })) and app.use(passport.session()) before ${mountLineOf(req)}`,
  );
}
