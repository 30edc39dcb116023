import type { Request, Response } from 'express';

import { loadJose } from '../../shared/crypto/jose.js';
import { hasOwnTokenPrefix } from '../../shared/crypto/secrets.js';
import { OAuthError, unexpectedCondition } from '../../shared/errors.js';
import { type BearerMethod } from '../../shared/protocol/bearer-method.js';
import { type ImpliedScopes, withImplied } from '../../shared/protocol/implied-scopes.js';
import { isJwt } from '../grants/tokens/access-tokens.js';
import type { ReadClientCertificate } from '../http/client-certificate.js';
import { type RequestOrigin, requestOriginOf } from '../http/request-origin.js';
import type { Report } from '../observability/report.js';
import type { ProofVerifier } from '../proof-of-possession/dpop-proof.js';
import type { AccessToken } from './access-token.js';
import { MissingToken, type Refusal, withChallenge } from './challenge.js';
import { checkCertificate } from './check-certificate.js';
import type { RouteRules, RouteSettings } from './check-route.js';
import {
  authenticationCheck,
  type AuthenticationNeeds,
  boundCheck,
  type Check,
  type Confirmation,
  kindCheck,
  personCheck,
  resourceCheck,
  scopeCheck,
} from './checks.js';
import { checkDetails, type DetailsCheckOptions } from './details-check.js';
import type { TokenScheme } from './openapi-operation.js';
import { createBearerScheme, requireBearerToken } from './schemes/bearer.js';
import { createDpopScheme } from './schemes/dpop.js';
import { type GuardScheme, sentTwice } from './schemes/scheme.js';
import type { TokenWatch } from './token-watch.js';
import { invalidToken, type VerifyAccessToken } from './verify-access-token.js';
import { type Closing, closingOf, openFor, withSignal } from './watchable-token.js';

export interface GuardDependencies extends DetailsCheckOptions, RouteRules {
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
  readonly tokenSchemes: readonly TokenScheme[];
  /** Whether a token that does not look like ours was taken over from another server. Default: none was. */
  readonly isMigrated?: (token: string) => Promise<boolean>;
  /** Whether the person in `req.user` has finished the login. */
  readonly isLoggedIn: (req: Request) => boolean;
}

/** What a call needs beyond its route. */
export interface Needs {
  readonly scopes: readonly string[];
  /** What its login has to meet, one after the other. */
  readonly logins: readonly AuthenticationNeeds[];
  /** Gives the authorization details that the call needs. */
  readonly details: () => unknown;
}

/** Who is let in. */
export interface Admitted {
  readonly auth: AccessToken;
  /** The person, if the route asks for one in `req.user`. */
  readonly user?: Express.User;
}

export interface Admission {
  /**
   * Checks the token of a request. Undefined: it has none, and need not have one. `others`: it has one that is not
   * ours, and the route has middleware for those.
   *
   * @throws OAuthError with the challenge of the answer; the host has been told already
   */
  readonly admit: (req: Request, res: Response) => Promise<Admitted | 'others' | undefined>;
  /**
   * Whether a request that was let in is allowed more than the route needs.
   *
   * @throws OAuthError with the challenge that names it
   */
  readonly demand: (
    auth: AccessToken,
    needs: Needs,
    context: { readonly req: Request; readonly res: Response },
  ) => Promise<void>;
  /**
   * Runs what comes behind the guard. If that refuses because of the token, the error gets the challenge that belongs
   * to it.
   *
   * @throws OAuthError of which the host has been told already
   */
  readonly behind: <Done>(req: Request, res: Response, work: () => Promise<Done>) => Promise<Done>;
  /**
   * Checks a token that came in another way than in a request. One that is bound to a key or a certificate is refused:
   * only a request has the proof. With a socket the result has a `signal`, until the socket closes.
   *
   * @throws OAuthError with the challenge
   */
  readonly verify: (token: unknown, socket?: Pick<Closing, 'once'>) => Promise<AccessToken>;
  /** Whether a request has credentials, right or wrong, ours or not. */
  readonly hasCredentials: (req: Request) => boolean;
}

export function createAdmission(dependencies: GuardDependencies, route: RouteSettings): Admission {
  const { scopes, optional, resource = dependencies.resource } = route;
  const { verify, report, issuer, impliedScopes, isMigrated = isNone } = dependencies;
  const schemes = schemesOf(dependencies);
  const lasting = lastingChecks(dependencies, route);
  // a login grows old during a connection, and that ends nothing
  const checks = [...lasting, ...authenticationChecks(route, dependencies)];
  const isEnough = (auth: AccessToken) => isMet(lasting, withIncluded(auth, impliedScopes));
  const watchable = (auth: AccessToken, connection: Closing) =>
    withSignal(auth, () => openFor(dependencies.watch, { auth, isEnough }, connection));
  const refuse = (thrown: unknown, { req, res }: RequestPair, overrides: Partial<Refusal> = {}) => {
    const { error } = report(thrown, { endpoint: 'guard', req, res });
    return withChallenge(error, { ...dependencies, schemes, about: schemes, resource, scopes, ...overrides });
  };

  const look = async (presented: Presented | undefined, req: Request, res: Response) => {
    if (presented === undefined && !optional) throw new MissingToken();
    if (presented === undefined) return undefined;
    const { token, scheme } = presented;
    const isOwnToken = async () => (await looksLikeOwnToken(token, issuer)) || (await isMigrated(token));
    if (route.onForeignToken !== undefined && !(await isOwnToken())) return 'others';
    const now = new Date();
    const verified = await verify({ token, origin: requestOriginOf(req), now });
    checkCertificate(dependencies.readCertificate, req, verified);
    await scheme.confirm(req, verified, now);
    const auth = withIncluded(verified, impliedScopes);
    for (const check of checks) check(auth, now);
    const user = route.user ? await findPerson(dependencies, auth) : undefined;
    if (route.details !== undefined)
      await checkDetails(
        { auth, needed: await route.details(req, auth), now },
        { ...dependencies, resource },
      );
    return { auth: watchable(auth, res), ...(user !== undefined && { user }) };
  };

  return {
    async admit(req, res) {
      let presented: Presented | undefined;
      try {
        presented = readPresented(schemes, req);
        return await look(presented, req, res);
      } catch (thrown) {
        throw refuse(thrown, { req, res }, presented && { about: [presented.scheme] });
      }
    },
    async demand(auth, { scopes, logins, details }, { req, res }) {
      try {
        const now = new Date();
        const needed = logins.flatMap((login) => authenticationChecks(login, dependencies));
        for (const check of [scopeCheck({ scopes, any: false }), ...needed]) check(auth, now);
        await checkDetails({ auth, needed: await details(), now }, { ...dependencies, resource });
      } catch (thrown) {
        throw refuse(thrown, { req, res }, { scopes });
      }
    },
    async behind(req, res, work) {
      try {
        return await work();
      } catch (thrown) {
        throw refuse(thrown, { req, res });
      }
    },
    async verify(token, socket) {
      const connection = socket && closingOf(socket);
      try {
        const presented = { token: requireBearerToken(token), origin: NO_REQUEST, now: new Date() };
        const verified = await verify(presented);
        // RFC 9449 §7.1, RFC 8705 §3
        if (verified.cnf !== undefined)
          throw invalidToken('it is bound, and came without a request that proves it');
        const auth = withIncluded(verified, impliedScopes);
        for (const check of checks) check(auth, new Date());
        return connection === undefined ? auth : watchable(auth, connection);
      } catch (error) {
        if (!(error instanceof OAuthError)) throw error;
        throw withChallenge(error, { ...dependencies, schemes, about: schemes, resource, scopes });
      }
    },
    hasCredentials: (req) => req.headers.authorization !== undefined || isPresented(schemes, req),
  };
}

/** What has to stay true for as long as a connection is open. */
function lastingChecks(dependencies: GuardDependencies, route: RouteSettings): readonly Check[] {
  const { issuer, resource: ownResource } = dependencies;
  const { resource = ownResource } = route;
  return [
    boundCheck(dependencies.requiredConfirmations),
    resourceCheck(resource, issuer),
    kindCheck(route),
    scopeCheck(route),
    personCheck(route),
  ];
}

interface RequestPair {
  readonly req: Request;
  readonly res: Response;
}

/** Whether a token passes checks that were passed before. */
function isMet(checks: readonly Check[], auth: AccessToken): boolean {
  try {
    for (const check of checks) check(auth, new Date());
    return true;
  } catch {
    return false;
  }
}

/** Whether a request presents a token outside of its header, right or wrong. */
function isPresented(schemes: readonly GuardScheme[], req: Request): boolean {
  try {
    return readPresented(schemes, req) !== undefined;
  } catch {
    return true;
  }
}

/** A route that needs no certain login costs nothing more. */
function authenticationChecks(
  needs: AuthenticationNeeds,
  { clockTolerance }: Pick<GuardDependencies, 'clockTolerance'>,
): readonly Check[] {
  if (needs.maxAge === undefined && needs.acr === undefined) return [];
  return [authenticationCheck(needs, clockTolerance)];
}

/** Nobody is known to have sent it. */
const NO_REQUEST: RequestOrigin = { method: '', headers: {}, ip: '', certificate: () => undefined };

/** Each way of presenting a token: a new one is one file, and one line here. */
function schemesOf({
  bearerMethods,
  proofs,
  knownResources,
  aliasOrigin,
  publicPath,
}: GuardDependencies): readonly GuardScheme[] {
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

const isNone = (): Promise<boolean> => Promise.resolve(false);

interface Presented {
  readonly scheme: GuardScheme;
  readonly token: string;
}

/** @throws OAuthError invalid_request if a token is malformed or sent in more than one way */
function readPresented(schemes: readonly GuardScheme[], req: Request): Presented | undefined {
  const presented = schemes.flatMap((scheme) => {
    const token = scheme.read(req);
    return token === undefined ? [] : [{ scheme, token }];
  });
  if (presented.length > 1) throw sentTwice();
  return presented[0];
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

/** @throws OAuthError invalid_token if the person no longer exists */
async function findPerson(
  { findUser }: GuardDependencies,
  { userId = '' }: AccessToken,
): Promise<Express.User> {
  let user: unknown;
  try {
    user = await findUser?.(userId);
  } catch (cause) {
    // the status of its error would be about something else
    throw unexpectedCondition('findUser threw', cause);
  }
  if (user === undefined || user === null || user === false)
    throw invalidToken(`findUser gave nobody for ${userId}`);
  return user;
}
