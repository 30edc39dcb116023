import type { Request, RequestHandler } from 'express';

import { OAuthError } from '../errors.js';
import { handle } from '../http/handle.js';
import { personOf } from '../http/resource-owner.js';
import type { GuardOptions } from '../settings/guard-options.js';
import {
  type Admitted,
  checkRoute,
  createAdmission,
  type GuardDependencies,
  type RouteSettings,
} from './admission.js';
import { createMcp, type Mcp } from './mcp.js';
import { createStrategy, type PassportStrategy, type StrategyOptions } from './passport-strategy.js';

/** Middleware that lets in requests with a fitting token. */
export type RouteGuard = RequestHandler & {
  /**
   * The same for a route that the site's own pages call as well, by the session of whoever is logged in: without
   * credentials in the request that person is let in, with them the token decides alone. Either way `req.user` is the
   * person, so the option `findUser` is needed; `req.auth` is there with a token only. What changes something needs
   * the site's CSRF check if there is no `req.auth`.
   *
   * @throws TypeError without `findUser`
   */
  readonly orSession: RequestHandler;
};

/**
 * Middleware for API routes: `guard('photos:read')`, `guard.any('a', 'b')`, `guard()`, `guard({ scopes,
 * optional })`.
 */
export interface Guard {
  /** All of the scopes. */
  (...scopes: readonly string[]): RouteGuard;
  (options: GuardOptions): RouteGuard;
  /** One of the scopes. */
  any(...scopes: readonly string[]): RouteGuard;
  /**
   * The same as a strategy of Passport's, beside others: `passport.use(oauth.guard.strategy('photos:read'))`, then
   * `passport.authenticate(['jwt', 'oauth'], { session: false })`. The option `findUser` gives `req.user`.
   *
   * @throws TypeError without `findUser`, or if an option is wrong
   */
  strategy(...scopes: readonly string[]): PassportStrategy;
  strategy(options: StrategyOptions): PassportStrategy;
  /** Endpoints of the Model Context Protocol. */
  readonly mcp: Mcp;
}

/**
 * A refusal goes to `next(error)` with `status` and `headers`, so that Express answers rightly and the host may
 * render it.
 *
 * @see RFC 6750 §2, §3
 */
export function createGuard(dependencies: GuardDependencies): Guard {
  const guard = (...given: Given<GuardOptions>): RouteGuard => guardRoute(dependencies, optionsOf(given));
  return Object.assign(guard, {
    any: (...scopes: readonly string[]) => guardRoute(dependencies, { scopes, any: true }),
    strategy: (...given: Given<StrategyOptions>) => createStrategy(dependencies, optionsOf(given)),
    mcp: createMcp(dependencies, (route) => guardByToken(dependencies, route)),
  });
}

type Given<Options> = readonly (string | Options)[];

function optionsOf<Options extends object>(
  given: Given<Options>,
): Options | { readonly scopes: readonly string[] } {
  const [first] = given;
  return typeof first === 'object' ? first : { scopes: given as readonly string[] };
}

function guardRoute(dependencies: GuardDependencies, given: GuardOptions): RouteGuard {
  const route = checkRoute(given, dependencies);
  return Object.defineProperty(guardByToken(dependencies, route), 'orSession', {
    get: () => guardOrSession(dependencies, checkRoute({ ...given, user: true }, dependencies)),
  }) as RouteGuard;
}

function guardByToken(dependencies: GuardDependencies, route: RouteSettings): RequestHandler {
  const { admit } = createAdmission(dependencies, route);
  return handle(async function guard(req, res, next) {
    // other middleware uses the name too: what it has left there is no token of ours
    delete req.auth;
    let admitted: Admitted | 'others' | undefined;
    try {
      admitted = await admit(req, res);
    } catch (refusal) {
      // an error handler of the host's knows nothing of challenges, and answers without one (RFC 6750 §3)
      if (refusal instanceof OAuthError && !res.headersSent) res.set(refusal.headers);
      return next(refusal);
    }
    // RFC 6750 §2.3: what was answered to a token in the URL is not for shared caches
    if (dependencies.bearerMethods.includes('query')) res.set('Cache-Control', 'private');
    if (admitted === 'others') {
      // of Express 5 it may be async
      await route.others?.(req, res, next);
      return;
    }
    if (admitted !== undefined) enter(req, admitted);
    next();
  });
}

/** What the host is told of who was let in. */
function enter(req: Request, { auth, user }: Admitted): void {
  req.auth = auth;
  if (user !== undefined) req.user = user;
}

/**
 * Which of the two a request goes by is its own choice, and never that of what was wrong: credentials that are refused
 * are not made up for by a session. Those of any kind: a page elsewhere can have a browser send a name and password
 * of its choice in a form's address, and CSRF checks often leave out what has an Authorization header.
 */
function guardOrSession(dependencies: GuardDependencies, route: RouteSettings): RequestHandler {
  const { hasCredentials } = createAdmission(dependencies, route);
  const byToken = guardByToken(dependencies, { ...route, optional: false });
  return function guardBySession(req, res, next) {
    const isPerson = personOf(dependencies, req) !== undefined;
    // half a login is nobody's, and not nobody either
    const isOpen = isPerson || (route.optional && !req.user);
    if (hasCredentials(req) || !isOpen) return void byToken(req, res, next);
    delete req.auth;
    next();
  };
}
