import type { NextFunction, Request, RequestHandler, Response } from 'express';
import onHeaders from 'on-headers';

import {
  type GuardOptions,
  type UpgradeOptions,
  type VerifyOptions,
  verifyOptions,
} from '../../settings/options/guard-options.js';
import { optionError, parseOptions } from '../../settings/table/parse-options.js';
import { refuseCallAsMiddleware } from '../../settings/table/refuse-call-as-middleware.js';
import { OAuthError } from '../../shared/errors.js';
import type { ScopeName, WithScopeNames } from '../../shared/protocol/scope.js';
import { handle } from '../http/handle.js';
import type { AccessToken } from './access-token.js';
import { type Admitted, createAdmission, type GuardDependencies } from './admission.js';
import { describeOperation, type OpenApiOperation } from './openapi-operation.js';
import { parseRouteOptions, type RouteSettings } from './parse-route-options.js';
import { createStrategy, type PassportStrategy, type StrategyOptions } from './passport-strategy.js';
import { guardUpgrades, type OnUpgrade, type UpgradingServer } from './upgrade.js';

/*
 * A guarded request passes: `admission.ts` (the conductor), `schemes.ts` (which token), `verify-access-token.ts` (the
 * token's data: `database-verifier.ts` in the site, `remote-verifier.ts` elsewhere). `challenge.ts` makes the challenge
 * of a refusal; `token-watch.ts` ends open connections.
 */

/** Middleware that lets in requests whose token fits. */
export type RouteGuard = RequestHandler & {
  /**
   * The guard for a route that the site's own pages call as well, with the session of the logged-in user. A request
   * without credentials is let in for that user; with credentials, the token alone decides. Either way `req.user` is
   * the user, so the option `people.find` is needed; `req.auth` is there only with a token. Without `req.auth`, a
   * request that changes something needs the site's CSRF check.
   *
   * @throws TypeError without `people.find`
   */
  readonly orSession: RequestHandler;
  /**
   * The operation of this route in your OpenAPI document, as in `get: { ...guard.openapi, summary: 'Your photos' }`.
   * `oauth.openapi()` has the components to which it refers.
   */
  readonly openapi: OpenApiOperation;
};

/** Written as methods, whose parameters compare both ways: a guard with typed scopes is also one of any scopes. */
interface GuardFunctions<Scopes extends string> {
  /** All of the scopes. */
  guard(...scopes: readonly ScopeName<Scopes>[]): RouteGuard;
  /** `none` makes the compiler refuse `app.use(oauth.guard)` without its parentheses. */
  guard(options: WithScopeNames<GuardOptions, Scopes>, ...none: never[]): RouteGuard;
  verify(token: unknown, options?: WithScopeNames<VerifyOptions, Scopes>): Promise<AccessToken>;
}

type GuardFunction<Scopes extends string> = GuardFunctions<Scopes>['guard'];

/**
 * Middleware for API routes: `guard('photos:read')`, `guard.any('a', 'b')`, `guard()`, `guard({ scopes,
 * optional })`.
 */
export interface TokenGuard<Scopes extends string = string> extends GuardFunction<Scopes> {
  /** One of the scopes. */
  any(...scopes: readonly ScopeName<Scopes>[]): RouteGuard;
  /**
   * The guard as a strategy for Passport, beside others: `passport.use(oauth.guard.strategy('photos:read'))`, then
   * `passport.authenticate(['jwt', 'oauth'], { session: false })`. The option `people.find` gives `req.user`.
   *
   * @throws TypeError without `people.find`, or if an option is wrong
   */
  strategy(...scopes: readonly ScopeName<Scopes>[]): PassportStrategy;
  strategy(options: WithScopeNames<StrategyOptions, Scopes>): PassportStrategy;
  /**
   * Guards connections that leave HTTP, such as WebSockets: `guard.upgrade(server, { path: '/live', scopes: [...] },
   * (req, socket, head) => sockets.handleUpgrade(req, socket, head, …))`. A token lets a caller in, as on a route, and
   * the connection is closed when the token ends; before that `req.auth.signal` fires, so that you can say goodbye.
   *
   * @returns removes the guard from the server
   * @throws TypeError if an option is wrong
   */
  upgrade(
    server: UpgradingServer,
    options: WithScopeNames<UpgradeOptions, Scopes>,
    onUpgrade: OnUpgrade,
  ): () => void;
  /** Checks a token in code: of a socket, a subscription, a message of a queue. */
  readonly verify: Verify<Scopes>;
}

/**
 * Checks an access token as the guard does, and returns the value for `req.auth`: `await oauth.verify(token, { scopes:
 * ['photos:read'] })`. A token that is bound to a key or a certificate is refused, because only a request can prove
 * that. A token may end while its connection is still open: with `socket` the result has a `signal` that fires then.
 *
 * @throws OAuthError invalid_token (401), insufficient_scope (403) or temporarily_unavailable (429, 503), with `status`
 * and the challenge in `headers`; TypeError if an option is wrong
 */
export type Verify<Scopes extends string = string> = GuardFunctions<Scopes>['verify'];

/**
 * Errors go to `next(error)` with `status` and `headers`, so that Express responds correctly and the site can render
 * them.
 *
 * @see RFC 6750 §2, §3
 */
export function createGuard(dependencies: GuardDependencies): TokenGuard {
  /** @throws TypeError if an option is wrong */
  const guardRoute = (input: GuardOptions): RouteGuard => {
    const route = parseRouteOptions(input, dependencies);
    return Object.defineProperties(guardByToken(dependencies, route), {
      orSession: {
        get() {
          for (const name of ['maxAge', 'acr'] as const)
            if (input[name] !== undefined)
              throw optionError(
                'guard',
                name,
                'is about the login of a token, and orSession lets in sessions whose login nobody has looked at; leave one of them out',
              );
          const routeOrSession = parseRouteOptions({ ...input, user: true }, dependencies);
          const { hasCredentials } = createAdmission(dependencies, routeOrSession);
          const byToken = guardByToken(dependencies, { ...routeOrSession, optional: false });
          return function guardBySession(req: Request, res: Response, next: NextFunction) {
            const { user } = req;
            // only `true` counts, and a promise does not
            const isLoggedIn = user !== undefined && user !== null && dependencies.isLoggedIn(req) === true;
            // during an unfinished login `req.user` is set, but nobody is logged in: this is no anonymous visitor
            const isLetIn = isLoggedIn || (routeOrSession.optional && !user);
            // A request with credentials of any kind is decided by its token, and the session does not count, even if
            // the token is refused. Otherwise a page elsewhere could use the session without a CSRF check: it can make
            // a browser send a name and password of its choice in a form's address, and CSRF checks often skip requests
            // with an Authorization header
            if (hasCredentials(req) || !isLetIn) return void byToken(req, res, next);
            delete req.auth;
            next();
          };
        },
      },
      openapi: { value: describeOperation(route, dependencies.securitySchemes) },
    }) as RouteGuard;
  };
  const verify: Verify = async (token, input = {}) => {
    refuseCallAsMiddleware(
      'verify',
      { call: 'oauth.verify(token)', place: (route) => `in the handler of ${route}` },
      token,
    );
    const { socket, ...route } = parseOptions('verify', verifyOptions, input);
    return createAdmission(dependencies, parseRouteOptions(route, dependencies)).verify(token, socket);
  };
  const guard = (...input: GuardInput<GuardOptions>): RouteGuard => guardRoute(toOptions('guard', input));
  return Object.assign(guard, {
    any: (...scopes: readonly string[]) => guardRoute({ ...toOptions('guard.any', scopes), any: true }),
    strategy: (...input: GuardInput<StrategyOptions>) =>
      createStrategy(dependencies, toOptions('guard.strategy', input)),
    upgrade: (server: UpgradingServer, input: UpgradeOptions, onUpgrade: OnUpgrade) =>
      guardUpgrades(dependencies, server, { input, onUpgrade }),
    verify,
  });
}

type GuardInput<Options> = readonly (string | Options)[];

function toOptions<Options extends object>(
  functionName: string,
  input: GuardInput<Options>,
): Options | { readonly scopes: readonly string[] } {
  const [first] = input;
  refuseCallAsMiddleware(functionName, { call: `oauth.${functionName}('scope')` }, first);
  return typeof first === 'object' ? first : { scopes: input as readonly string[] };
}

/** Middleware that lets in only requests whose token fits the route. */
export function guardByToken(dependencies: GuardDependencies, route: RouteSettings): RequestHandler {
  const { admit, challenge } = createAdmission(dependencies, route);
  return handle(async function guard(req, res, next) {
    // other middleware uses the name, too: its value is not the token of this guard
    delete req.auth;
    // undefined: the route is optional, and there is no token. 'foreign': no token of this server, and the route has
    // other middleware for such a request
    let admitted: Admitted | 'foreign' | undefined;
    try {
      admitted = await admit(req, res);
    } catch (error) {
      // an error handler of the site may ignore challenges, which the response MUST have (RFC 6750 §3)
      if (error instanceof OAuthError && !res.headersSent) res.set(error.headers);
      return next(error);
    }
    // RFC 6750 §2.3: a response to a token in the URL is not for shared caches
    if (dependencies.bearerMethods.includes('query')) res.set('Cache-Control', 'private');
    if (admitted === 'foreign') {
      // If that middleware answers 401, the response also gets this guard's challenge, just before its headers are
      // sent: the challenge leads a client to the authorization server (RFC 9110 §15.5.2, RFC 9728 §5.1)
      onHeaders(res, () => {
        const theirs = [res.getHeader('WWW-Authenticate') ?? []].flat().map(String);
        if (res.statusCode === 401 && !theirs.some((value) => /\bBearer\b/i.test(value)))
          res.setHeader('WWW-Authenticate', [...theirs, ...Object.values(challenge())]);
      });
      // the site's middleware; in Express 5 it may be async, and its rejection goes to `next`
      await route.orElse?.(req, res, next);
      return;
    }
    if (admitted !== undefined) req.auth = admitted.auth;
    if (admitted?.user !== undefined) req.user = admitted.user;
    next();
  });
}
