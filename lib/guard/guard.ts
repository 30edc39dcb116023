import type { ErrorRequestHandler, Request, RequestHandler } from 'express';

import { OAuthError } from '../errors.js';
import { handle } from '../http/handle.js';
import { sendJson } from '../http/json-error.js';
import { senderOf } from '../http/sender.js';
import type { Report } from '../observability/report.js';
import { type BearerMethod } from '../protocol/bearer-method.js';
import { isSameResource } from '../protocol/resource.js';
import { type GuardOptions, routeOptions } from '../settings/guard-options.js';
import { parseOptions } from '../settings/parse-options.js';
import type { AccessToken } from './access-token.js';
import { protectedResourceMetadataUrl } from './protected-resource.js';
import { createBearerScheme } from './schemes/bearer.js';
import { type ChallengeAttributes, type GuardScheme, sentTwice } from './schemes/scheme.js';
import { invalidToken, type VerifyAccessToken } from './verify-access-token.js';

/**
 * Middleware for API routes: `guard('photos:read')`, `guard.any('a', 'b')`, `guard()`, `guard({ scopes,
 * optional })`.
 */
export interface Guard {
  /** All of the scopes. */
  (...scopes: readonly string[]): RequestHandler;
  (options: GuardOptions): RequestHandler;
  /** One of the scopes. */
  any(...scopes: readonly string[]): RequestHandler;
}

export interface GuardDependencies {
  readonly verify: VerifyAccessToken;
  readonly issuer: string;
  readonly report: Report;
  readonly realm: string;
  readonly bearerMethods: readonly BearerMethod[];
  /** Undefined where they are not known. */
  readonly knownScopes: readonly string[] | undefined;
  /** What tokens must be for where a route does not say. */
  readonly resource: string;
  readonly knownResources: readonly string[];
}

/**
 * A refusal goes to `next(error)` with `status` and `headers`, so that Express answers rightly and the host may
 * render it.
 *
 * @see RFC 6750 §2, §3
 */
export function createGuard(dependencies: GuardDependencies): Guard {
  const guard = (...given: readonly (string | GuardOptions)[]): RequestHandler => {
    const [first] = given;
    return guardRoute(
      dependencies,
      typeof first === 'object' ? first : { scopes: given as readonly string[] },
    );
  };
  return Object.assign(guard, {
    any: (...scopes: readonly string[]) => guardRoute(dependencies, { scopes, any: true }),
  });
}

function guardRoute(dependencies: GuardDependencies, given: GuardOptions): RequestHandler {
  const options = checkOptions(given, dependencies);
  const { scopes, optional, resource = dependencies.resource } = options;
  const { verify, report, bearerMethods, issuer } = dependencies;
  const schemes: readonly GuardScheme[] = [createBearerScheme(bearerMethods)];
  const checks = [resourceCheck(resource, issuer), scopeCheck(options), personCheck(options)];

  return handle(async function guard(req, res, next) {
    // other middleware uses the name too: what it has left there is no token of ours
    delete req.auth;
    let presented: Presented | undefined;
    try {
      presented = readPresented(schemes, req);
      if (presented === undefined && !optional) throw new MissingToken();
      if (presented !== undefined) {
        const auth = await verify({ token: presented.token, sender: senderOf(req) });
        for (const check of checks) check(auth);
        req.auth = auth;
      }
    } catch (thrown) {
      const { error } = report(thrown, { endpoint: 'guard', req, res });
      const about = presented === undefined ? schemes : [presented.scheme];
      return next(withChallenge(error, { ...dependencies, schemes, about, resource, scopes }));
    }
    // RFC 6750 §2.3: what was answered to a token in the URL is not for shared caches
    if (bearerMethods.includes('query')) res.set('Cache-Control', 'private');
    next();
  });
}

interface Presented {
  readonly scheme: GuardScheme;
  readonly token: string;
}

/** @throws OAuthError invalid_request where a token is malformed or sent in more than one way */
function readPresented(schemes: readonly GuardScheme[], req: Request): Presented | undefined {
  const presented = schemes.flatMap((scheme) => {
    const token = scheme.read(req);
    return token === undefined ? [] : [{ scheme, token }];
  });
  if (presented.length > 1) throw sentTwice();
  return presented[0];
}

/** @throws OAuthError */
type Check = (auth: AccessToken) => void;

/**
 * RFC 8707 §3, RFC 9700 §2.3: a token for one resource server is refused at another; without a resource it is
 * for the issuer.
 */
function resourceCheck(resource: string, issuer: string): Check {
  const { href } = new URL(resource);
  const isIssuer = isSameResource(issuer, resource);
  return (auth) => {
    const isFor = auth.resource === undefined ? isIssuer : auth.resource.href === href;
    if (!isFor) throw invalidToken(`it is for ${auth.resource?.href ?? issuer}, not for ${resource}`);
  };
}

function scopeCheck({ scopes, any }: { readonly scopes: readonly string[]; readonly any: boolean }): Check {
  return (auth) => {
    const has = (scope: string) => auth.scopes.includes(scope);
    if (scopes.length === 0 || (any ? scopes.some(has) : scopes.every(has))) return;
    throw new OAuthError(
      'insufficient_scope',
      `the access token needs ${any ? 'one of the scopes' : 'the scope'} ${scopes.join(' ')}`,
      { detail: `it has ${auth.scopes.join(' ')}` },
    );
  };
}

/** A client that acts for itself has no person whose data a route could be about. */
function personCheck({ person }: { readonly person: boolean }): Check {
  return (auth) => {
    if (person && auth.userId === undefined)
      throw new OAuthError('insufficient_scope', 'the access token must be that of a person', {
        detail: `${auth.clientId} has it for itself`,
      });
  };
}

/** No credentials at all: the answer has no error code (RFC 6750 §3.1). */
class MissingToken extends OAuthError {
  constructor() {
    super('unauthorized', 'an access token is needed', { status: 401, detail: 'no token in the request' });
  }
}

interface Refusal extends Pick<GuardDependencies, 'realm' | 'resource'> {
  readonly schemes: readonly GuardScheme[];
  /** The schemes whose challenge says what was wrong. */
  readonly about: readonly GuardScheme[];
  readonly scopes: readonly string[];
}

function withChallenge(error: OAuthError, refusal: Refusal): OAuthError {
  if (error.status >= 500) return error;
  const { schemes, about, realm, resource, scopes } = refusal;
  const reason: ChallengeAttributes =
    error instanceof MissingToken ? {} : { error: error.error, error_description: error.description };
  const challenges = schemes.map((scheme) =>
    scheme.challenge({
      realm,
      ...(about.includes(scheme) && reason),
      ...(scopes.length > 0 && { scope: scopes.join(' ') }),
      // RFC 9728 §5.1
      resource_metadata: protectedResourceMetadataUrl(resource),
    }),
  );
  const { description, detail, cause, status, headers } = error;
  return new OAuthError(error.error, description, {
    ...(detail !== undefined && { detail }),
    cause,
    status,
    headers: { ...headers, 'WWW-Authenticate': challenges.join(', ') },
  });
}

function checkOptions(given: GuardOptions, { knownScopes, knownResources }: GuardDependencies) {
  const options = parseOptions('guard', routeOptions, given);
  const { scopes, any, resource } = options;
  if (any && scopes.length === 0)
    throw new TypeError(
      'guard: any needs the scopes of which one is enough; for any valid token write guard()',
    );
  const unknownScope = scopes.find((scope) => knownScopes?.includes(scope) === false);
  // a misspelt scope would lock everybody out, and only be noticed then
  if (unknownScope !== undefined)
    throw new TypeError(
      `guard: '${unknownScope}' is not among the scopes of authorizationServer: ${knownScopes?.join(', ')}`,
    );
  if (resource !== undefined && !knownResources.includes(resource))
    throw new TypeError(`guard: '${resource}' is not among the resources: ${knownResources.join(', ')}`);
  return options;
}

/** Answers the guard's refusals as JSON `{ error, error_description }`; anything else is for the next error handler. */
export const answerGuardError: ErrorRequestHandler = (thrown, _req, res, next) => {
  if (!(thrown instanceof OAuthError) || res.headersSent) return next(thrown);
  res.status(thrown.status).set(thrown.headers);
  sendJson(res, { error: thrown.error, error_description: thrown.description });
};
