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

/** What a token can be bound to, by the members of RFC 7800 §3.1: a key, or a certificate. */
export type Confirmation = 'jkt' | 'x5t#S256';

export interface RequiredLogin {
  /** Seconds. */
  readonly maxAge?: number | undefined;
  readonly acr?: readonly string[] | undefined;
}

/** A connection, or what stands for it: a response, a WebSocket, the transport of Socket.IO. */
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
  /** A token must be bound to one of these; none: it need not be bound. */
  readonly requiredConfirmations: readonly Confirmation[];
  readonly watch: TokenWatch;
  /** Seconds by which the clock of the login server may differ. */
  readonly clockTolerance: number;
  /** The path of the public URL that a proxy takes off, `''` if none. */
  readonly publicPath: string;
  readonly impliedScopes: ImpliedScopes;
  readonly resource: string;
  /** Where clients with certificates reach the same routes, if that is another origin (RFC 8705 §5). */
  readonly aliasOrigin?: string | undefined;
  readonly securitySchemes: readonly SecurityScheme[];
  /** Whether a token that does not look like ours was taken over from another server. Default: none was. */
  readonly isMigrated?: (token: string) => Promise<boolean>;
  /** Whether the user in `req.user` has finished the login. */
  readonly isLoggedIn: (req: Request) => boolean;
}

export interface Admitted {
  readonly auth: AccessToken;
  readonly user?: Express.User | undefined;
}

/** What a call needs beyond its route. */
interface RequiredForCall {
  readonly scopes: readonly string[];
  /** The login has to meet all of these. */
  readonly logins: readonly RequiredLogin[];
  /** Gives the authorization details that the call needs. */
  readonly requiredDetails: () => unknown;
}

export type Admission = ReturnType<typeof createAdmission>;

export function createAdmission(dependencies: GuardDependencies, route: RouteSettings) {
  const { issuer, realm, knownScopes, impliedScopes, requiredConfirmations, clockTolerance, report } =
    dependencies;
  const { resource = dependencies.resource } = route;
  const { href: resourceHref } = new URL(resource);
  const isIssuer = isSameResource(issuer, resource);
  // each way of presenting a token: a new one is a function in schemes.ts, and a line here
  const { proofs, aliasOrigin, publicPath } = dependencies;
  const origins = new Set(dependencies.knownResources.map((each) => new URL(each).origin));
  if (aliasOrigin !== undefined) origins.add(aliasOrigin);
  const schemes = [createBearerScheme(dependencies.bearerMethods)];
  if (proofs !== undefined) schemes.push(createDpopScheme(proofs, [...origins], publicPath));

  /** Adds the challenge to an error. By default it says what the route needs, and the error for all schemes. */
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
   * Checks a token by the rules of the route that have to stay true while a connection is open. The age of the login is
   * none of them: it ends no connection.
   */
  const checkRoute = (auth: AccessToken): void => {
    const { clientId, cnf, kind } = auth;
    // RFC 9728 §2: a resource can require bound tokens, since an unbound one may be stolen
    if (requiredConfirmations.length > 0 && !requiredConfirmations.some((each) => cnf?.[each] !== undefined))
      throw invalidToken(`it is not bound, and tokens here have ${requiredConfirmations.join(' or ')}`);
    // RFC 8707 §3, RFC 9700 §2.3: a token for one resource server is refused at another; without a resource it is for
    // the issuer
    if (auth.resource === undefined ? !isIssuer : auth.resource.href !== resourceHref)
      throw invalidToken(`it is for ${auth.resource?.href ?? issuer}, not for ${resource}`);
    // some routes are for apps alone, such as those that change a password
    if (route.kinds?.includes(kind) === false)
      throw new OAuthError('insufficient_scope', 'tokens of this kind are not let in here', {
        reason: 'kind_not_allowed',
        detail: `${clientId} has a token of the kind ${kind}, and the route lets in ${route.kinds.join(', ')}`,
      });
    requireScopes(auth, route);
    // a client that acts for itself has no user whose data a route could be about
    if (route.requireUser && auth.userId === undefined)
      throw new OAuthError('insufficient_scope', 'the access token must be one of a user', {
        reason: 'user_required',
        detail: `${clientId} has it for itself`,
      });
  };

  /** Gives a token the signal that fires once the token would not be let in any more, or has other choices. */
  const withSignal = (auth: AccessToken, checkedAt: number, connection: Closable): AccessToken => {
    // the user's choices, such as a workspace: `checkRoute` does not look at them, so a change is found here. As text,
    // because the route may change the object
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
     *   server, and the route has middleware that decides about such a request
     * @throws OAuthError with the challenge of the response; it is in the report already
     */
    admit: async (req: Request, res: Response): Promise<Admitted | 'foreign' | undefined> => {
      let failedSchemes = schemes;
      try {
        // RFC 6750 §2, RFC 9449 §7.1: which token the request presents, by which scheme, in one way
        const presented = schemes.flatMap((scheme) => {
          const token = scheme.read(req);
          return token === undefined ? [] : [{ scheme, token }];
        });
        if (presented.length > 1) throw sentTwice();
        const [credentials] = presented;
        if (credentials === undefined && route.orElse !== undefined) {
          // our token under a scheme that is off (DPoP) is not handed to the site's middleware as if it were its API key
          const [, value = ''] = authorizationOf(req)?.split(/\s+/) ?? [];
          if (hasOwnTokenPrefix(value.toLowerCase())) throw new MissingToken();
          return 'foreign';
        }
        if (credentials === undefined && route.optional) return undefined;
        if (credentials === undefined) throw new MissingToken();
        const { scheme, token } = credentials;
        failedSchemes = [scheme];
        // asked before the syntax check: API keys of others may have any characters
        if (route.orElse !== undefined && token !== '' && (await isForeign(token, dependencies)))
          return 'foreign';
        // RFC 6750 §3.1, RFC 9449 §7.1: a malformed token is invalid_token, which tells a client to get another one
        if (!TOKEN68.test(token)) throw invalidToken('malformed');

        // RFC 6750 §3.1: what the token is, and whether it is alive
        const now = new Date();
        const checkedAt = performance.now();
        const verified = await dependencies.verify({ token, origin: requestOriginOf(req), now });

        // RFC 8705 §3: one that is bound to a certificate works only on a connection with that certificate. Its chain
        // and dates are not checked (§6.2): it proves only that this client is the one that got the token
        const boundTo = verified.cnf?.['x5t#S256'];
        if (boundTo !== undefined) {
          const thumbprint = dependencies.readCertificate?.(req)?.thumbprint;
          if (thumbprint === undefined)
            throw invalidToken('it is bound to a certificate, and came without one');
          if (thumbprint !== boundTo) throw invalidToken('it is bound to another certificate');
        }
        // RFC 9449 §7.1: whether the sender may use it
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
     * Checks a token that was let in for what one call needs beyond its route.
     *
     * @throws OAuthError with the challenge that says what is missing
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
     * Runs what comes behind the guard. An error that refuses the token gets the challenge of the guard.
     *
     * @throws OAuthError which is in the report already
     */
    runBehindGuard: async <Done>(req: Request, res: Response, work: () => Promise<Done>): Promise<Done> => {
      try {
        return await work();
      } catch (thrown) {
        throw refusal(report(thrown, { endpoint: 'guard', req, res }).error);
      }
    },
    /**
     * Checks a token that came in another way than in a request. One that is bound to a key or a certificate is refused:
     * only a request has the proof. With a socket the result has a `signal`, until the socket closes.
     *
     * @throws OAuthError with the challenge
     */
    verify: async (value: unknown, socket?: Pick<Closable, 'once'>): Promise<AccessToken> => {
      // sockets of other packages do not say that they are closed, so it is noticed from now on
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
    /** Whether a request has credentials, right or wrong, ours or not. */
    hasCredentials: (req: Request): boolean => {
      if (req.headers.authorization !== undefined) return true;
      try {
        return schemes.some((scheme) => scheme.read(req) !== undefined);
      } catch {
        // one that is wrong counts
        return true;
      }
    },
  };
}

/**
 * The watch begins when `signal` is read: most routes are over before a token ends. The accessor is one of the class:
 * defining it on each token would cost ten times as much at each call.
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

/** @param auth with complete scopes: the granted ones, and those that they include */
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
 * The login must be recent and strong enough. A token that does not say so is refused, and so is a token that a client
 * has for itself.
 *
 * @param clock `clockTolerance`: seconds by which the clock of the server that has seen the login may be apart
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

/** This happens at each call, so a token to which nothing is added is not copied. */
function withImpliedScopes(auth: AccessToken, impliedScopes: ImpliedScopes): AccessToken {
  return impliedScopes.size === 0 ? auth : { ...auth, scopes: [...withImplied(auth.scopes, impliedScopes)] };
}

/**
 * Whether a token is neither of this server nor taken over from another one. It decides who checks the token, and lets
 * nobody in. Our opaque tokens begin with our prefix; our JWTs have our type and issuer (RFC 9068 §2.1, §2.2).
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
    // a 404 that `people.find` throws is no answer to this request
    throw unexpectedCondition('people.find threw', cause);
  }
  if (user === undefined || user === null || user === false)
    throw invalidToken(`people.find gave nobody for ${userId}`);
  return user;
}
