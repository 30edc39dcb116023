import type { Request, Response } from 'express';

import { loadJose } from '../../shared/crypto/jose.js';
import { hasOwnTokenPrefix } from '../../shared/crypto/secrets.js';
import { OAuthError, unexpectedCondition } from '../../shared/errors.js';
import { type BearerMethod } from '../../shared/protocol/bearer-method.js';
import { type ImpliedScopes, withImplied } from '../../shared/protocol/implied-scopes.js';
import { isJwt } from '../grants/tokens/access-tokens.js';
import type { ReadClientCertificate } from '../http/client-certificate.js';
import { NO_ORIGIN, requestOriginOf } from '../http/request-origin.js';
import type { Report } from '../observability/report.js';
import type { ProofVerifier } from '../proof-of-possession/dpop-proof.js';
import type { AccessToken } from './access-token.js';
import { type ChallengeContext, MissingToken, withChallenge } from './challenge.js';
import { checkDetails, type DetailsCheckOptions } from './details-check.js';
import type { SecurityScheme } from './openapi-operation.js';
import type { RouteSettings, ServerValues } from './parse-route-options.js';
import { createBearerScheme, requireBearerToken } from './schemes/bearer.js';
import { createDpopScheme } from './schemes/dpop.js';
import { type AuthenticationScheme, checkSyntax, sentTwice } from './schemes/scheme.js';
import {
  checkCertificate,
  type Confirmation,
  createAuthenticationCheck,
  createBindingCheck,
  createResourceCheck,
  createScopeCheck,
  createTokenKindCheck,
  createUserCheck,
  type RequiredLogin,
  type TokenCheck,
} from './token-checks.js';
import type { TokenWatch } from './token-watch.js';
import { invalidToken, type VerifyAccessToken } from './verify-access-token.js';
import { type Closable, toClosable, watchUntilClosed, withSignal } from './watchable-token.js';

export interface GuardDependencies extends DetailsCheckOptions, ServerValues {
  readonly verify: VerifyAccessToken;
  readonly issuer: string;
  readonly report: Report;
  readonly realm: string;
  readonly bearerMethods: readonly BearerMethod[];
  /** What verifies proofs of clients whose tokens are bound to a key; undefined: such tokens are refused. */
  readonly proofs: ProofVerifier | undefined;
  /** What reads the certificates of clients; undefined: tokens that are bound to one are refused. */
  readonly readCertificate: ReadClientCertificate | undefined;
  /** A token must be bound to one of these; none: it need not be bound. */
  readonly requiredConfirmations: readonly Confirmation[];
  /** Ends what tokens have opened when they end. */
  readonly watch: TokenWatch;
  /** Seconds that the clock of the server that has seen a login may be apart from this one's. */
  readonly clockTolerance: number;
  /** The path of the public URL that a proxy takes off, `''` if none. */
  readonly publicPath: string;
  /** What scopes include beside themselves. */
  readonly impliedScopes: ImpliedScopes;
  /** What tokens must be for if a route does not say. */
  readonly resource: string;
  /** Where clients with certificates reach the same routes, if that is another origin (RFC 8705 §5). */
  readonly aliasOrigin?: string | undefined;
  /** The security schemes of OpenAPI documents that tokens for it are of. */
  readonly securitySchemes: readonly SecurityScheme[];
  /** Whether a token that does not look like ours was taken over from another server. Default: none was. */
  readonly isMigrated?: (token: string) => Promise<boolean>;
  /** Whether the user in `req.user` has finished the login. */
  readonly isLoggedIn: (req: Request) => boolean;
}

/** What a call needs beyond its route. */
export interface RequiredForCall {
  readonly scopes: readonly string[];
  /** The login has to meet all of these. */
  readonly logins: readonly RequiredLogin[];
  /** Gives the authorization details that the call needs. */
  readonly requiredDetails: () => unknown;
}

/** Who is let in. */
export interface Admitted {
  readonly auth: AccessToken;
  /** The user, if the route asks for one in `req.user`. */
  readonly user?: Express.User;
}

/** One HTTP exchange. */
interface Exchange {
  readonly req: Request;
  readonly res: Response;
}

export interface Admission {
  /**
   * Checks the token of a request.
   *
   * @returns undefined if the request has no token and the route is optional; `foreignToken` if the token is not of
   *   this server and the route has middleware for such tokens
   * @throws OAuthError with the challenge of the response; it is in the report already
   */
  readonly admit: (req: Request, res: Response) => Promise<Admitted | 'foreignToken' | undefined>;
  /**
   * Checks a token that was let in for what one call needs beyond its route.
   *
   * @throws OAuthError with the challenge that says what is missing
   */
  readonly requireForCall: (
    auth: AccessToken,
    required: RequiredForCall,
    exchange: Exchange,
  ) => Promise<void>;
  /**
   * Runs what comes behind the guard. An error that refuses the token gets the challenge of the guard.
   *
   * @throws OAuthError which is in the report already
   */
  readonly runBehindGuard: <Done>(req: Request, res: Response, work: () => Promise<Done>) => Promise<Done>;
  /**
   * Checks a token that came in another way than in a request. One that is bound to a key or a certificate is refused:
   * only a request has the proof. With a socket the result has a `signal`, until the socket closes.
   *
   * @throws OAuthError with the challenge
   */
  readonly verify: (token: unknown, socket?: Pick<Closable, 'once'>) => Promise<AccessToken>;
  /** Whether a request has credentials, right or wrong, ours or not. */
  readonly hasCredentials: (req: Request) => boolean;
}

/**
 * Decides for one route. A request passes: the schemes read its token, `identifyToken` finds out what the token is, the
 * scheme verifies the sender, then come the checks of the token, the user and the details.
 */
export function createAdmission(dependencies: GuardDependencies, route: RouteSettings): Admission {
  const { verify: identifyToken, report, impliedScopes } = dependencies;
  const { resource = dependencies.resource } = route;
  const schemes = createSchemes(dependencies);
  const connectionChecks = createConnectionChecks(dependencies, route);
  const checks = [...connectionChecks, ...createLoginChecks([route], dependencies)];
  const refuse = createRefuse(dependencies, { schemes, resource, scopes: route.scopes });
  const { authorizationDetails, knownDetailTypes, useDetails } = dependencies;
  const detailsOptions = { authorizationDetails, knownDetailTypes, useDetails, resource };

  const withSignalOf = createSignals(dependencies, connectionChecks);
  const guarded = async <Done>(
    { req, res }: Exchange,
    work: () => Promise<Done>,
    context?: RefusalContext,
  ): Promise<Done> => {
    try {
      return await work();
    } catch (thrown) {
      throw refuse(report(thrown, { endpoint: 'guard', req, res }).error, context);
    }
  };

  const authenticate = async ({ token, scheme }: Credentials, { req, res }: Exchange) => {
    checkSyntax(token);
    if (route.onForeignToken !== undefined && (await isForeign(token, dependencies))) return 'foreignToken';
    const now = new Date();
    const checkedAt = performance.now();
    const verified = await identifyToken({ token, origin: requestOriginOf(req), now });
    checkCertificate(dependencies.readCertificate, req, verified);
    await scheme.verifySender(req, verified, now);
    const auth = withIncluded(verified, impliedScopes);
    for (const check of checks) check(auth, now);
    const user = route.user ? await loadUser(dependencies, auth) : undefined;
    if (route.details !== undefined)
      await checkDetails({ auth, required: await route.details(req, auth), now }, detailsOptions);
    return { auth: withSignalOf(auth, checkedAt, res), ...(user !== undefined && { user }) };
  };

  return {
    async admit(req, res) {
      let failedSchemes = schemes;
      try {
        const credentials = readCredentials(schemes, req);
        if (credentials === undefined && !route.optional) throw new MissingToken();
        if (credentials === undefined) return undefined;
        failedSchemes = [credentials.scheme];
        return await authenticate(credentials, { req, res });
      } catch (thrown) {
        throw refuse(report(thrown, { endpoint: 'guard', req, res }).error, { failedSchemes });
      }
    },
    requireForCall: (auth, { scopes, logins, requiredDetails }, exchange) =>
      guarded(
        exchange,
        async () => {
          const now = new Date();
          for (const check of createCallChecks({ scopes, logins }, dependencies)) check(auth, now);
          await checkDetails({ auth, required: await requiredDetails(), now }, detailsOptions);
        },
        { scopes },
      ),
    runBehindGuard: (req, res, work) => guarded({ req, res }, work),
    async verify(token, socket) {
      const connection = socket && toClosable(socket);
      const checkedAt = performance.now();
      try {
        const context = { token: requireBearerToken(token), origin: NO_ORIGIN, now: new Date() };
        const verified = await identifyToken(context);
        // RFC 9449 §7.1, RFC 8705 §3
        if (verified.cnf !== undefined)
          throw invalidToken('it is bound, and came without a request that proves it');
        const auth = withIncluded(verified, impliedScopes);
        for (const check of checks) check(auth, new Date());
        return connection === undefined ? auth : withSignalOf(auth, checkedAt, connection);
      } catch (error) {
        throw error instanceof OAuthError ? refuse(error) : error;
      }
    },
    hasCredentials: (req) => req.headers.authorization !== undefined || hasToken(schemes, req),
  };
}

/** Sets `req.auth` and `req.user` for what comes behind the guard. */
export function setAuth(req: Request, { auth, user }: Admitted): void {
  req.auth = auth;
  if (user !== undefined) req.user = user;
}

/** What differs between the refusals of one route. */
type RefusalContext = Partial<Pick<ChallengeContext, 'failedSchemes' | 'scopes'>>;

/** @returns adds the challenge to an error. By default it says what the route needs, and the error for all schemes */
function createRefuse(
  { realm, knownScopes, impliedScopes }: GuardDependencies,
  route: Pick<ChallengeContext, 'schemes' | 'resource' | 'scopes'>,
): (error: OAuthError, context?: RefusalContext) => OAuthError {
  const ofRoute = { realm, knownScopes, impliedScopes, failedSchemes: route.schemes, ...route };
  return (error, context) => withChallenge(error, { ...ofRoute, ...context });
}

/** What has to stay true while a connection is open. The age of the login is no part of it: it ends no connection. */
function createConnectionChecks(
  { issuer, resource: ownResource, requiredConfirmations }: GuardDependencies,
  route: RouteSettings,
): readonly TokenCheck[] {
  const { resource = ownResource } = route;
  return [
    createBindingCheck(requiredConfirmations),
    createResourceCheck(resource, issuer),
    createTokenKindCheck(route),
    createScopeCheck(route),
    createUserCheck(route),
  ];
}

function createCallChecks(
  { scopes, logins }: Pick<RequiredForCall, 'scopes' | 'logins'>,
  dependencies: GuardDependencies,
): readonly TokenCheck[] {
  return [createScopeCheck({ scopes, any: false }), ...createLoginChecks(logins, dependencies)];
}

/** None for what needs no certain login, so that it costs nothing. */
function createLoginChecks(
  logins: readonly RequiredLogin[],
  { clockTolerance }: Pick<GuardDependencies, 'clockTolerance'>,
): readonly TokenCheck[] {
  return logins
    .filter(({ maxAge, acr }) => maxAge !== undefined || acr !== undefined)
    .map((login) => createAuthenticationCheck(login, clockTolerance));
}

/** Gives tokens the signal that fires once they would not be let in any more, or are for something else. */
function createSignals({ watch, impliedScopes }: GuardDependencies, checks: readonly TokenCheck[]) {
  return (auth: AccessToken, checkedAt: number, connection: Closable): AccessToken => {
    // no rule of the route is about the selection: the route reads it itself
    const selection = selectionOf(auth);
    const isStillAllowed = (current: AccessToken) =>
      passesAll(checks, withIncluded(current, impliedScopes)) && selectionOf(current) === selection;
    return withSignal(auth, () => watchUntilClosed(watch, { auth, checkedAt, isStillAllowed }, connection));
  };
}

/** What the user has selected for a token, to be compared: a route may change what it is given. */
function selectionOf({ choices }: AccessToken): string | undefined {
  return choices && JSON.stringify(choices);
}

/** Whether a token passes checks again that it has passed before. */
function passesAll(checks: readonly TokenCheck[], auth: AccessToken): boolean {
  try {
    for (const check of checks) check(auth, new Date());
    return true;
  } catch {
    return false;
  }
}

/** Whether a request has a token in any way that the route reads, right or wrong. */
function hasToken(schemes: readonly AuthenticationScheme[], req: Request): boolean {
  try {
    return readCredentials(schemes, req) !== undefined;
  } catch {
    return true;
  }
}

/** Each way of presenting a token: a new one is one file, and one line here. */
function createSchemes({
  bearerMethods,
  proofs,
  knownResources,
  aliasOrigin,
  publicPath,
}: GuardDependencies): readonly AuthenticationScheme[] {
  const own = knownResources.map((resource) => new URL(resource).origin);
  const origins = [...new Set([...own, ...[aliasOrigin ?? []].flat()])];
  return [
    createBearerScheme(bearerMethods),
    ...(proofs === undefined ? [] : [createDpopScheme({ proofs, origins, publicPath })]),
  ];
}

/** This happens at each call, so a token to which nothing is added is not copied. */
function withIncluded(auth: AccessToken, impliedScopes: ImpliedScopes): AccessToken {
  return impliedScopes.size === 0 ? auth : { ...auth, scopes: [...withImplied(auth.scopes, impliedScopes)] };
}

/** The token of a request, and the scheme that has read it. */
interface Credentials {
  readonly scheme: AuthenticationScheme;
  readonly token: string;
}

/** @throws OAuthError invalid_request if a token is sent in more than one way */
function readCredentials(schemes: readonly AuthenticationScheme[], req: Request): Credentials | undefined {
  let found: Credentials | undefined;
  for (const scheme of schemes) {
    const token = scheme.read(req);
    if (token === undefined) continue;
    if (found !== undefined) throw sentTwice();
    found = { scheme, token };
  }
  return found;
}

/** Whether a token is neither of this server nor taken over from another one. */
async function isForeign(token: string, { issuer, isMigrated }: GuardDependencies): Promise<boolean> {
  return !(await looksLikeOwnToken(token, issuer)) && (await isMigrated?.(token)) !== true;
}

/**
 * Whether a token looks like one of ours. It decides who checks the token, and lets nobody in. Our opaque ones begin
 * with our prefix; our JWTs have our type and issuer (RFC 9068 §2.1, §2.2).
 */
async function looksLikeOwnToken(token: string, issuer: string): Promise<boolean> {
  if (!isJwt(token)) return hasOwnTokenPrefix(token);
  const { decodeJwt, decodeProtectedHeader } = await loadJose();
  try {
    const { typ = '' } = decodeProtectedHeader(token);
    return /^(application\/)?at\+jwt$/i.test(typ) && decodeJwt(token).iss === issuer;
  } catch {
    return false;
  }
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
    // the status of its error would be about something else
    throw unexpectedCondition('people.find threw', cause);
  }
  if (user === undefined || user === null || user === false)
    throw invalidToken(`people.find gave nobody for ${userId}`);
  return user;
}
