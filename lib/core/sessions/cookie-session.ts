import type { RequestHandler } from 'express';

type Done = (error?: unknown) => void;

/** A session of cookie-session: the members that are used here. */
interface CookieSession {
  readonly isNew?: unknown;
  readonly regenerate?: unknown;
  readonly save?: () => unknown;
}

/**
 * Lets users log in and out with cookie-session: Passport from 0.6 on has each session renewed and stored, by functions
 * that cookie-session lacks. The cookie contains the whole session, so there is no id to fix, and it is set with the
 * headers of the response. The getter is not called here: cookie-session makes the session on the first read, and a
 * request may never read it.
 */
export const completeCookieSession: RequestHandler = (req, _res, next) => {
  const property = Object.getOwnPropertyDescriptor(req, 'session');
  if (property?.get !== undefined && property.configurable === true)
    Object.defineProperty(req, 'session', {
      ...property,
      get() {
        const session: unknown = property.get?.call(req);
        const { regenerate, save } = (session ?? {}) as CookieSession;
        if (!isCookieSession(session) || regenerate !== undefined) return session;
        // not enumerable: otherwise the session of a mere visitor would be stored
        return Object.defineProperties(session, {
          regenerate: { value: (done: Done) => done(), configurable: true },
          // cookie-session itself saves without a callback
          save: {
            value: (done?: Done) => (done === undefined ? save?.call(session) : done()),
            configurable: true,
          },
        });
      },
    });
  next();
};

/** Only sessions of cookie-session say whether they are new. */
export function isCookieSession(session: unknown): boolean {
  return typeof ((session ?? {}) as CookieSession).isNew === 'boolean';
}
