import type { Request, Response } from 'express';

import { loadJose } from '../../shared/crypto/jose.js';
import { hasOwnTokenPrefix } from '../../shared/crypto/secrets.js';
import { clockDetail } from '../../shared/date.js';
import { OAuthError, unexpectedCondition } from '../../shared/errors.js';
import { type ImpliedScopes, withImplied } from '../../shared/protocol/implied-scopes.js';
import { isSameResource } from '../../shared/protocol/resource.js';
import type { BearerMethod } from '../../shared/protocol/token-kind.js';
import { isJwt } from '../grants/tokens/access-tokens.js';
import { authorizationOf } from '../http/authorization-header.js';
import type { ReadClientCertificate } from '../http/client-certificate.js';
import { NO_ORIGIN, requestOriginOf } from '../http/request-origin.js';
import type { Report } from '../observability/report.js';
import type { ProofVerifier } from '../proof-of-possession/dpop-proof.js';
import type { AccessToken } from './access-token.js';
import { type ChallengeContext, InsufficientToken, MissingToken, withChallenge } from './challenge.js';
import { checkDetails, type DetailsCheckOptions } from './details-check.js';
import type { SecurityScheme } from './openapi-operation.js';
import type { RouteSettings, ServerValues } from './parse-route-options.js';
import { createBearerScheme, createDpopScheme, SECRET_TOKEN_PREFIX, sentTwice, TOKEN68 } from './schemes.js';
import type { TokenWatch } from './token-watch.js';
import { invalidToken, type VerifyAccessToken } from './verify-access-token.js';

/** The binding of a token, by the members of RFC 7800 §3.1: a key, or a certificate. */
export type Confirmation = 'jkt' | 'x5t#S256';

export interface RequiredLogin {
  /** Seconds. */
  readonly maxAge?: number | undefined;
  readonly acr?: readonly string[] | undefined;
}

/** A connection or its equivalent: a response, a WebSocket, the transport of Socket.IO. */
interface Closable {
  readonly closed: boolean;
  once(event: 'close', listener: () => void): unknown;
}

export interface GuardDependencies extends DetailsCheckOptions, ServerValues {
  readonly verify: VerifyAccessToken;
  readonly issuer: string;
  readonly report: Report;
  readonly realm: string;
  readonly bearerMethods: readonly BearerMethod[];
  /** The verifier of DPoP proofs. Without it, tokens that are bound to a key are refused. */
  readonly proofs: ProofVerifier | undefined;
  /** The reader of client certificates. Without it, tokens that are bound to a certificate are refused. */
  readonly readCertificate: ReadClientCertificate | undefined;
  /** A token must have one of these bindings; empty: no binding is required. */
  readonly requiredConfirmations: readonly Confirmation[];
  readonly watch: TokenWatch;
  /** Seconds by which the login server's clock may differ. */
  readonly clockTolerance: number;
  /** The path that a proxy removes from public URLs; `''` if none. */
  readonly publicPath: string;
  readonly impliedScopes: ImpliedScopes;
  readonly resource: string;
  /** Another origin of the same routes, for clients with certificates (RFC 8705 §5). */
  readonly aliasOrigin?: string | undefined;
  readonly securitySchemes: readonly SecurityScheme[];
  /** Whether a token in another format was migrated from another server. Default: no. */
  readonly isMigrated?: (token: string) => Promise<boolean>;
  /** Whether the login of `req.user` is complete. */
  readonly isLoggedIn: (req: Request) => boolean;
}

export interface Admitted {
  readonly auth: AccessToken;
  readonly user?: Express.User | undefined;
}

/** The requirements of a call beyond its route. */
interface RequiredForCall {
  readonly scopes: readonly string[];
  /** The login has to meet all of these requirements. */
  readonly logins: readonly RequiredLogin[];
  /** Returns the authorization details that the call needs. */
  readonly requiredDetails: () => unknown;
}

export type Admission = ReturnType<typeof createAdmission>;

export function createAdmission(dependencies: GuardDependencies, route: RouteSettings) {
  const { issuer, realm, knownScopes, impliedScopes, requiredConfirmations, clockTolerance, report } =
    dependencies;
  const { resource = dependencies.resource } = route;
  const { href: resourceHref } = new URL(resource);
  const isIssuer = isSameResource(issuer, resource);
  // the ways to present a token: a new one is a function in schemes.ts, and a line here
  const { proofs, aliasOrigin, publicPath } = dependencies;
  const origins = new Set(dependencies.knownResources.map((each) => new URL(each).origin));
  if (aliasOrigin !== undefined) origins.add(aliasOrigin);
  const schemes = [createBearerScheme(dependencies.bearerMethods)];
  if (proofs !== undefined) schemes.push(createDpopScheme(proofs, [...origins], publicPath));

  /** Adds the challenge to an error. By default it names the scopes of the route, and has the error for all schemes. */
  const refusal = (error: OAuthError, context?: Partial<ChallengeContext>): OAuthError =>
    withChallenge(error, {
      realm,
      resource,
      schemes,
      failedSchemes: schemes,
      scopes: route.scopes,
      knownScopes,
      impliedScopes,
      ...context,
    });

  /**
   * Checks the rules of the route that must hold as long as a connection is open. The age of the login is no such rule,
   * so it ends no connection.
   */
  const checkRoute = (auth: AccessToken): void => {
    const { clientId, cnf, kind } = auth;
    // RFC 9728 §2: a resource can require bound tokens, because unbound ones may be stolen
    if (requiredConfirmations.length > 0 && !requiredConfirmations.some((each) => cnf?.[each] !== undefined))
      throw invalidToken(`it is not bound, and tokens here have ${requiredConfirmations.join(' or ')}`);
    // RFC 8707 §3, RFC 9700 §2.3: a token for one resource server is refused at another; a token without a resource is
    // for the issuer
    if (auth.resource === undefined ? !isIssuer : auth.resource.href !== resourceHref)
      throw invalidToken(`it is for ${auth.resource?.href ?? issuer}, not for ${resource}`);
    // some routes accept only tokens of apps, such as those that change a password
    if (route.kinds?.includes(kind) === false)
      throw new OAuthError('insufficient_scope', 'tokens of this kind are not let in here', {
        reason: 'kind_not_allowed',
        detail: `${clientId} has a token of the kind ${kind}, and the route lets in ${route.kinds.join(', ')}`,
      });
    requireScopes(auth, route);
    // a client that acts for itself has no user for the route
    if (route.requireUser && auth.userId === undefined)
      throw new OAuthError('insufficient_scope', 'the access token must be one of a user', {
        reason: 'user_required',
        detail: `${clientId} has it for itself`,
      });
  };

  /** Adds the signal that fires once the token would be refused, or its choices change. */
  const withSignal = (auth: AccessToken, checkedAt: number, connection: Closable): AccessToken => {
    // the user's choices, such as a workspace: `checkRoute` ignores them, so a change is noticed here. As text, because
    // the route may change the object
    const choices = auth.choices && JSON.stringify(auth.choices);
    return new WatchableToken(auth, () => {
      const { signal, unwatch } = dependencies.watch.watch({
        auth,
        checkedAt,
        isStillAllowed(current) {
          try {
            checkRoute(withImpliedScopes(current, impliedScopes));
          } catch {
            return false;
          }
          return (current.choices && JSON.stringify(current.choices)) === choices;
        },
      });
      if (connection.closed) unwatch();
      else connection.once('close', unwatch);
      return signal;
    }) as unknown as AccessToken;
  };

  return {
    /** The headers of a 401 to a request without a token. */
    challenge: () => refusal(new MissingToken()).headers,
    /**
     * Checks the token of a request.
     *
     * @returns undefined if the request has no token and the route is optional; `foreign` if there is no token of this
     * server, and the route has other middleware for such a request
     * @throws OAuthError with the challenge of the response; it was reported already
     */
    admit: async (req: Request, res: Response): Promise<Admitted | 'foreign' | undefined> => {
      let failedSchemes = schemes;
      try {
        // RFC 6750 §2, RFC 9449 §7.1: the token and its scheme; a request must present only one
        const presented = schemes.flatMap((scheme) => {
          const token = scheme.read(req);
          return token === undefined ? [] : [{ scheme, token }];
        });
        if (presented.length > 1) throw sentTwice();
        const [credentials] = presented;
        if (credentials === undefined && route.orElse !== undefined) {
          // a token of this server under a disabled scheme (DPoP) must not reach the site's middleware as an API key
          const [, value = ''] = authorizationOf(req)?.split(/\s+/) ?? [];
          if (hasOwnTokenPrefix(value.toLowerCase())) throw new MissingToken();
          return 'foreign';
        }
        if (credentials === undefined && route.optional) return undefined;
        if (credentials === undefined) throw new MissingToken();
        const { scheme, token } = credentials;
        failedSchemes = [scheme];
        // checked before the syntax: other API keys may have any characters
        if (route.orElse !== undefined && token !== '' && (await isForeign(token, dependencies)))
          return 'foreign';
        // RFC 6750 §3.1, RFC 9449 §7.1: a malformed token is invalid_token, which tells a client to get another one
        if (!TOKEN68.test(token)) throw invalidToken('malformed');

        // RFC 6750 §3.1: the token's data, and whether it is active
        const now = new Date();
        const checkedAt = performance.now();
        const verified = await dependencies.verify({ token, origin: requestOriginOf(req), now });

        // RFC 8705 §3: a certificate-bound token works only on a connection with that certificate. Its chain and dates
        // are not checked (§6.2): the certificate only proves that the same client got the token
        const boundTo = verified.cnf?.['x5t#S256'];
        if (boundTo !== undefined) {
          const thumbprint = dependencies.readCertificate?.(req)?.thumbprint;
          if (thumbprint === undefined)
            throw invalidToken('it is bound to a certificate, and came without one');
          if (thumbprint !== boundTo) throw invalidToken('it is bound to another certificate');
        }
        // RFC 9449 §7.1: whether the sender may use the token
        await scheme.verifySender(req, verified, now);

        // resource, scopes, user; RFC 9470 §3: login; RFC 9396 §9: details
        const auth = withImpliedScopes(verified, impliedScopes);
        checkRoute(auth);
        if (route.maxAge !== undefined || route.acr !== undefined)
          requireLogin(auth, route, { now, clockTolerance });
        const user = route.user ? await loadUser(dependencies, auth) : undefined;
        if (route.details !== undefined)
          await checkDetails({ auth, required: await route.details(req, auth), now }, dependencies, resource);
        return { auth: withSignal(auth, checkedAt, res), user };
      } catch (thrown) {
        throw refusal(report(thrown, { endpoint: 'guard', req, res }).error, { failedSchemes });
      }
    },
    /**
     * Checks an admitted token against the requirements of one call beyond its route.
     *
     * @throws OAuthError with the challenge that names the missing ones
     */
    requireForCall: async (
      auth: AccessToken,
      { scopes, logins, requiredDetails }: RequiredForCall,
      { req, res }: { readonly req: Request; readonly res: Response },
    ): Promise<void> => {
      try {
        const now = new Date();
        requireScopes(auth, { scopes, any: false });
        for (const login of logins) requireLogin(auth, login, { now, clockTolerance });
        await checkDetails({ auth, required: await requiredDetails(), now }, dependencies, resource);
      } catch (thrown) {
        throw refusal(report(thrown, { endpoint: 'guard', req, res }).error, { scopes });
      }
    },
    /**
     * Runs work behind the guard. An error that refuses the token gets the guard's challenge.
     *
     * @throws OAuthError that was reported already
     */
    runBehindGuard: async <Done>(req: Request, res: Response, work: () => Promise<Done>): Promise<Done> => {
      try {
        return await work();
      } catch (thrown) {
        throw refusal(report(thrown, { endpoint: 'guard', req, res }).error);
      }
    },
    /**
     * Checks a token without a request. A token that is bound to a key or a certificate is refused: only a request has
     * the proof. With a socket the result has a `signal`, until the socket closes.
     *
     * @throws OAuthError with the challenge
     */
    verify: async (value: unknown, socket?: Pick<Closable, 'once'>): Promise<AccessToken> => {
      // sockets of other packages have no `closed`, so the event is watched from now on
      const connection = {
        closed: false,
        once: (event: 'close', listener: () => void) => socket?.once(event, listener),
      };
      socket?.once('close', () => (connection.closed = true));
      const checkedAt = performance.now();
      try {
        const token = typeof value === 'string' ? value.replace(SECRET_TOKEN_PREFIX, '') : '';
        if (!TOKEN68.test(token)) throw invalidToken('malformed');
        const now = new Date();
        const verified = await dependencies.verify({ token, origin: NO_ORIGIN, now });
        // RFC 9449 §7.1, RFC 8705 §3
        if (verified.cnf !== undefined)
          throw invalidToken('it is bound, and came without a request that proves it');
        const auth = withImpliedScopes(verified, impliedScopes);
        checkRoute(auth);
        requireLogin(auth, route, { now: new Date(), clockTolerance });
        return socket === undefined ? auth : withSignal(auth, checkedAt, connection);
      } catch (error) {
        throw error instanceof OAuthError ? refusal(error) : error;
      }
    },
    /** Whether a request has credentials of any kind, even wrong ones. */
    hasCredentials: (req: Request): boolean => {
      if (req.headers.authorization !== undefined) return true;
      try {
        return schemes.some((scheme) => scheme.read(req) !== undefined);
      } catch {
        // malformed credentials count
        return true;
      }
    },
  };
}

/**
 * The watch begins when `signal` is read: most routes end before their token. The accessor is in a class: a definition
 * on each token would cost ten times as much at each call.
 */
class WatchableToken {
  readonly #watch: () => AbortSignal;
  #signal: AbortSignal | undefined;

  constructor(auth: AccessToken, watch: () => AbortSignal) {
    Object.assign(this, auth);
    this.#watch = watch;
  }

  get signal(): AbortSignal {
    this.#signal ??= this.#watch();
    return this.#signal;
  }
}

/** @param auth with complete scopes: the granted ones, and the scopes that they include */
function requireScopes(
  auth: AccessToken,
  { scopes, any }: { readonly scopes: readonly string[]; readonly any: boolean },
): void {
  const isMissing = any
    ? !scopes.some((scope) => auth.scopes.includes(scope))
    : !scopes.every((scope) => auth.scopes.includes(scope));
  if (scopes.length > 0 && isMissing)
    throw new InsufficientToken(
      'insufficient_scope',
      `the access token needs ${any ? 'one of the scopes' : 'the scope'} ${scopes.join(' ')}`,
      { reason: 'scope_insufficient', detail: `it has ${auth.scopes.join(' ')}` },
      { granted: auth.scopes },
    );
}

/**
 * Checks that the login is recent and strong enough. A token without data about the login is refused, and so is the
 * token of a client that acts for itself.
 *
 * @param clock `clockTolerance`: seconds by which the clock of the login server may differ
 * @see RFC 9470 §3
 */
function requireLogin(
  auth: AccessToken,
  { maxAge, acr }: RequiredLogin,
  clock: { readonly now: Date; readonly clockTolerance: number },
): void {
  const isOfOtherAcr = acr !== undefined && (auth.acr === undefined || !acr.includes(auth.acr));
  const age = clock.now.getTime() / 1000 - (auth.authTime ?? -Infinity);
  // a login in the future would count as recent until the clocks agree
  const isInFuture = age < -clock.clockTolerance;
  if (!isOfOtherAcr && (maxAge === undefined || (age <= maxAge && !isInFuture))) return;
  let detail = `its auth_time is ${auth.authTime}`;
  if (isInFuture) detail = clockDetail('auth_time', Number(auth.authTime), clock);
  if (isOfOtherAcr) detail = `its acr is ${auth.acr}`;
  throw new InsufficientToken(
    'insufficient_user_authentication',
    isOfOtherAcr ? 'a different authentication level is required' : 'more recent authentication is required',
    { reason: 'authentication_insufficient', detail },
    {
      granted: auth.scopes,
      attributes: {
        ...(acr && { acr_values: acr.join(' ') }),
        ...(maxAge !== undefined && { max_age: String(maxAge) }),
      },
    },
  );
}

/** Runs at each call, so a token without implied scopes is not copied. */
function withImpliedScopes(auth: AccessToken, impliedScopes: ImpliedScopes): AccessToken {
  return impliedScopes.size === 0 ? auth : { ...auth, scopes: [...withImplied(auth.scopes, impliedScopes)] };
}

/**
 * Whether a token is neither of this server nor migrated from another one. The result decides who checks the token, and
 * admits nobody. Opaque tokens of this server have its prefix; its JWTs have its type and issuer (RFC 9068 §2.1, §2.2).
 */
async function isForeign(token: string, { issuer, isMigrated }: GuardDependencies): Promise<boolean> {
  let isOwn = hasOwnTokenPrefix(token);
  if (isJwt(token)) {
    const { decodeJwt, decodeProtectedHeader } = await loadJose();
    try {
      const { typ = '' } = decodeProtectedHeader(token);
      isOwn = /^(application\/)?at\+jwt$/i.test(typ) && decodeJwt(token).iss === issuer;
    } catch {
      isOwn = false;
    }
  }
  return !isOwn && (await isMigrated?.(token)) !== true;
}

/** @throws OAuthError invalid_token if the user no longer exists */
async function loadUser(
  { findUser }: GuardDependencies,
  { userId = '' }: AccessToken,
): Promise<Express.User> {
  let user: unknown;
  try {
    user = await findUser?.(userId);
  } catch (cause) {
    // a 404 that `people.find` throws must not answer this request
    throw unexpectedCondition('people.find threw', cause);
  }
  if (user === undefined || user === null || user === false)
    throw invalidToken(`people.find gave nobody for ${userId}`);
  return user;
}
