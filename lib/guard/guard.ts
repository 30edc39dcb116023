import type { ErrorRequestHandler, Request, RequestHandler } from 'express';

import { OAuthError } from '../errors.js';
import { sendJson } from '../http/json-error.js';
import type { Report } from '../observability/report.js';
import { type BearerMethod } from '../protocol/bearer-method.js';
import { isSameResource } from '../protocol/resource.js';
import { type GuardOptions, routeOptions } from '../settings/guard-options.js';
import { parseOptions } from '../settings/parse-options.js';
import type { AccessToken } from './access-token.js';
import { readBearerToken } from './bearer-token.js';
import { protectedResourceMetadataUrl } from './protected-resource.js';
import { invalidToken, type VerifyAccessToken } from './verify-access-token.js';

/** Middleware for API routes: `guard('photos:read')`, `guard.any('a', 'b')`, `guard()`, `guard({ scopes, optional })`. */
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
 * A refusal goes to `next(error)` with `status` and `headers`, so that Express answers rightly and the host may render it.
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

function guardRoute(dependencies: GuardDependencies, options: GuardOptions): RequestHandler {
  const { scopes, any, optional, resource = dependencies.resource } = checkOptions(options, dependencies);
  const checkResource = resourceCheck(resource, dependencies.issuer);
  const { verify, report, bearerMethods } = dependencies;

  /** @throws OAuthError */
  const readToken = (req: Request): string | undefined => {
    const token = readBearerToken(req, bearerMethods);
    if (token === undefined && !optional) throw new MissingToken();
    return token;
  };
  /** @throws OAuthError */
  const checkAccess = (auth: AccessToken): void => {
    checkResource(auth);
    const has = (scope: string) => auth.scopes.includes(scope);
    if (scopes.length === 0 || (any ? scopes.some(has) : scopes.every(has))) return;
    throw new OAuthError(
      'insufficient_scope',
      `the access token needs ${any ? 'one of the scopes' : 'the scope'} ${scopes.join(' ')}`,
      { detail: `it has ${auth.scopes.join(' ')}` },
    );
  };

  return function guard(req, res, next) {
    const refuse = (thrown: unknown): void => {
      const { error } = report(thrown, { endpoint: 'guard', req, res });
      next(withChallenge(error, { ...dependencies, resource }, scopes));
    };
    const letIn = (auth: AccessToken | undefined): void => {
      try {
        if (auth !== undefined) checkAccess(auth);
      } catch (thrown) {
        return refuse(thrown);
      }
      if (auth !== undefined) req.auth = auth;
      // RFC 6750 §2.3: what was answered to a token in the URL is not for shared caches
      if (bearerMethods.includes('query')) res.set('Cache-Control', 'private');
      next();
    };
    let auth: ReturnType<typeof verify> | undefined;
    try {
      const token = readToken(req);
      if (token !== undefined) auth = verify(token);
    } catch (thrown) {
      return refuse(thrown);
    }
    // without a detour where the token is remembered
    if (auth instanceof Promise) auth.then(letIn, refuse).catch(next);
    else letIn(auth);
  };
}

/** RFC 8707 §3, RFC 9700 §2.3: a token for one resource server is refused at another; without a resource it is for the issuer. */
function resourceCheck(resource: string, issuer: string): (auth: AccessToken) => void {
  const { href } = new URL(resource);
  const isIssuer = isSameResource(issuer, resource);
  return (auth) => {
    const isFor = auth.resource === undefined ? isIssuer : auth.resource.href === href;
    if (!isFor) throw invalidToken(`it is for ${auth.resource?.href ?? issuer}, not for ${resource}`);
  };
}

/** No credentials at all: the answer has no error code (RFC 6750 §3.1). */
class MissingToken extends OAuthError {
  constructor() {
    super('unauthorized', 'an access token is needed', { status: 401, detail: 'no token in the request' });
  }
}

function withChallenge(
  error: OAuthError,
  { realm, resource, knownResources }: GuardDependencies,
  scopes: readonly string[],
): OAuthError {
  if (error.status >= 500) return error;
  const attributes: Record<string, string> = { realm };
  if (!(error instanceof MissingToken))
    Object.assign(attributes, { error: error.error, error_description: error.description });
  if (scopes.length > 0) attributes.scope = scopes.join(' ');
  // RFC 9728 §5.1
  if (knownResources.includes(resource))
    attributes.resource_metadata = protectedResourceMetadataUrl(resource);
  const challenge = Object.entries(attributes)
    .map(([name, value]) => `${name}="${value}"`)
    .join(', ');
  const { description, detail, cause, status, headers } = error;
  return new OAuthError(error.error, description, {
    ...(detail !== undefined && { detail }),
    cause,
    status,
    headers: { ...headers, 'WWW-Authenticate': `Bearer ${challenge}` },
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
