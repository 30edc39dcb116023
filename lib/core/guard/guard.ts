import type { Request, RequestHandler } from 'express';

import {
  type GuardOptions,
  type UpgradeOptions,
  type VerifyOptions,
  verifyOptions,
} from '../../settings/options/guard-options.js';
import { optionError, parseOptions } from '../../settings/table/parse-options.js';
import { OAuthError } from '../../shared/errors.js';
import { handle } from '../http/handle.js';
import { personOf } from '../sessions/resource-owner.js';
import type { AccessToken } from './access-token.js';
import { type Admitted, createAdmission, type GuardDependencies } from './admission.js';
import { checkRoute, type RouteSettings } from './check-route.js';
import { createMcp, type Mcp } from './mcp.js';
import { describeOperation, type OpenApiOperation } from './openapi-operation.js';
import { createStrategy, type PassportStrategy, type StrategyOptions } from './passport-strategy.js';
import { guardUpgrades, type OnUpgrade, type UpgradingServer } from './upgrade.js';

/** Middleware that lets in requests with a fitting token. */
export type RouteGuard = RequestHandler & {
  /**
   * The same for a route that the site's own pages call as well, with the session of the person who is logged in. A
   * request without credentials is let in for that person; if there are credentials, the token alone decides. Either
   * way `req.user` is the person, so the option `findUser` is needed; `req.auth` is there only with a token. Without
   * `req.auth`, a request that changes something needs the site's CSRF check.
   *
   * @throws TypeError without `findUser`
   */
  readonly orSession: RequestHandler;
  /**
   * What the operation of this route says in your OpenAPI document, as in
   * `get: { ...guard.openapi, summary: 'Your photos' }`. `oauth.openapi()` has the components that it refers to.
   */
  readonly openapi: OpenApiOperation;
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
   * The same as a strategy for Passport, beside others: `passport.use(oauth.guard.strategy('photos:read'))`, then
   * `passport.authenticate(['jwt', 'oauth'], { session: false })`. The option `findUser` gives `req.user`.
   *
   * @throws TypeError without `findUser`, or if an option is wrong
   */
  strategy(...scopes: readonly string[]): PassportStrategy;
  strategy(options: StrategyOptions): PassportStrategy;
  /**
   * Guards connections that leave HTTP, such as WebSockets: `guard.upgrade(server, { path: '/live', scopes: [...] },
   * (req, socket, head) => sockets.handleUpgrade(req, socket, head, …))`. A caller is let in by a token, as to a route,
   * and the connection is closed when the token ends; before that `req.auth.signal` fires, so that you can say goodbye.
   *
   * @returns takes the guard off the server
   * @throws TypeError if an option is wrong
   */
  upgrade(server: UpgradingServer, options: UpgradeOptions, onUpgrade: OnUpgrade): () => void;
  /** Checks a token in code: of a socket, a subscription, a message of a queue. */
  readonly verify: Verify;
  /** Endpoints of the Model Context Protocol. */
  readonly mcp: Mcp;
}

/**
 * Checks an access token as the guard does, and gives what would be in `req.auth`: `await oauth.verify(token, { scopes:
 * ['photos:read'] })`. A token that is bound to a key or a certificate is refused, because only a request can prove
 * that. A token may end while what it has opened is still open: with `socket` the result has a `signal` that fires
 * then.
 *
 * @throws OAuthError invalid_token (401), insufficient_scope (403) or temporarily_unavailable (503), with `status` and
 *   the challenge in `headers`; TypeError if an option is wrong
 */
export type Verify = (token: unknown, options?: VerifyOptions) => Promise<AccessToken>;

/**
 * A refusal goes to `next(error)` with `status` and `headers`, so that Express answers correctly and the host can
 * render it.
 *
 * @see RFC 6750 §2, §3
 */
export function createGuard(dependencies: GuardDependencies): Guard {
  const guard = (...given: Given<GuardOptions>): RouteGuard =>
    guardRoute(dependencies, optionsOf('guard', given));
  return Object.assign(guard, {
    any: (...scopes: readonly string[]) =>
      guardRoute(dependencies, { ...optionsOf('guard.any', scopes), any: true }),
    strategy: (...given: Given<StrategyOptions>) =>
      createStrategy(dependencies, optionsOf('guard.strategy', given)),
    upgrade: (server: UpgradingServer, given: UpgradeOptions, onUpgrade: OnUpgrade) =>
      guardUpgrades(dependencies, server, { given, onUpgrade }),
    verify: createVerify(dependencies),
    mcp: createMcp(dependencies, (route) => guardByToken(dependencies, route)),
  });
}

function createVerify(dependencies: GuardDependencies): Verify {
  return async (token, given = {}) => {
    const { socket, ...route } = parseOptions('verify', verifyOptions, given);
    return createAdmission(dependencies, checkRoute(route, dependencies)).verify(token, socket);
  };
}

type Given<Options> = readonly (string | Options)[];

function optionsOf<Options extends object>(
  functionName: string,
  given: Given<Options>,
): Options | { readonly scopes: readonly string[] } {
  const [first] = given;
  refuseRequest(functionName, first);
  return typeof first === 'object' ? first : { scopes: given as readonly string[] };
}

/** `app.get('/photos', oauth.guard, …)`: Express takes any function for a handler, so only its call can tell. */
function refuseRequest(functionName: string, first: unknown): void {
  const { headers, method, url } = (first ?? {}) as Readonly<Partial<Request>>;
  if (typeof headers !== 'object' || typeof method !== 'string' || typeof url !== 'string') return;
  throw new TypeError(
    `${functionName}: it was called with a request; write oauth.${functionName}('scope'), with parentheses, where the route of ${method} ${url.split('?')[0]} is declared`,
  );
}

function guardRoute(dependencies: GuardDependencies, given: GuardOptions): RouteGuard {
  const route = checkRoute(given, dependencies);
  return Object.defineProperties(guardByToken(dependencies, route), {
    orSession: {
      get: () => guardOrSession(dependencies, checkOrSession({ ...given, user: true }, dependencies)),
    },
    openapi: { value: describeOperation(route, dependencies.tokenSchemes) },
  }) as RouteGuard;
}

/** @throws TypeError if an option is wrong, or says nothing about a session */
function checkOrSession(given: GuardOptions, dependencies: GuardDependencies): RouteSettings {
  const { maxAge, acr } = given;
  if (maxAge !== undefined || acr !== undefined)
    throw optionError(
      'guard',
      maxAge === undefined ? 'acr' : 'maxAge',
      'is about the login of a token, and orSession lets in sessions whose login nobody has looked at; leave one of them out',
    );
  return checkRoute(given, dependencies);
}

function guardByToken(dependencies: GuardDependencies, route: RouteSettings): RequestHandler {
  const { admit } = createAdmission(dependencies, route);
  return handle(async function guard(req, res, next) {
    // other middleware uses the name, too: what it has left there is not our token
    delete req.auth;
    let admitted: Admitted | 'others' | undefined;
    try {
      admitted = await admit(req, res);
    } catch (refusal) {
      // an error handler of the host's knows nothing of challenges, and would answer without one (RFC 6750 §3)
      if (refusal instanceof OAuthError && !res.headersSent) res.set(refusal.headers);
      return next(refusal);
    }
    // RFC 6750 §2.3: an answer to a token in the URL is not for shared caches
    if (dependencies.bearerMethods.includes('query')) res.set('Cache-Control', 'private');
    if (admitted === 'others') {
      // in Express 5 it may be async
      await route.onForeignToken?.(req, res, next);
      return;
    }
    if (admitted !== undefined) enter(req, admitted);
    next();
  });
}

/** Tells the host who was let in. */
function enter(req: Request, { auth, user }: Admitted): void {
  req.auth = auth;
  if (user !== undefined) req.user = user;
}

/**
 * The request chooses between the two, and errors do not: if credentials are refused, a session does not make up for
 * them. That goes for credentials of any kind: a page elsewhere can make a browser send a name and password of its
 * choice in a form's address, and CSRF checks often skip requests with an Authorization header.
 */
function guardOrSession(dependencies: GuardDependencies, route: RouteSettings): RequestHandler {
  const { hasCredentials } = createAdmission(dependencies, route);
  const byToken = guardByToken(dependencies, { ...route, optional: false });
  return function guardBySession(req, res, next) {
    const isPerson = personOf(dependencies, req) !== undefined;
    // a half-finished login is not a person, and not an anonymous request either
    const isOpen = isPerson || (route.optional && !req.user);
    if (hasCredentials(req) || !isOpen) return void byToken(req, res, next);
    delete req.auth;
    next();
  };
}
