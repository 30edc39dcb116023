import { OAuthError } from '../errors.js';

/** RFC 6749 §3.3: scope-token = 1*( %x21 / %x23-5B / %x5D-7E ) */
const SCOPE_TOKEN = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

/** A scope for completion in editors: the names of the server, and any other text, which is checked at run time. */
export type ScopeName<Names extends string> = Names | (string & {});

/** The same options with completion of scope names. */
export type WithScopeNames<Options, Names extends string> = {
  [Name in keyof Options]: Name extends 'scopes' | 'requiredScopes'
    ? readonly ScopeName<Names>[] | Exclude<Options[Name], readonly string[]>
    : Name extends 'scope'
      ? ScopeName<Names> | Exclude<Options[Name], string>
      : Options[Name];
};

export function isScopeToken(value: string): boolean {
  return SCOPE_TOKEN.test(value);
}

/**
 * The `scope` parameter as a list without duplicates, in its order.
 *
 * @throws OAuthError invalid_scope
 * @see RFC 6749 §3.3
 */
export function parseScope(scope: string): readonly string[] {
  const scopes = [...new Set(scope.split(' ').filter((token) => token !== ''))];
  if (scopes.length === 0 || !scopes.every(isScopeToken)) {
    throw new OAuthError('invalid_scope', 'the scope is malformed', { reason: 'scope_malformed' });
  }
  return scopes;
}

export function formatScope(scopes: readonly string[]): string {
  return scopes.join(' ');
}

export function isSubset(scopes: readonly string[], of: readonly string[]): boolean {
  return scopes.every((scope) => of.includes(scope));
}

/** The scope that OpenID Connect clients add for refresh tokens, which this server issues with and without it. */
const OFFLINE_ACCESS = 'offline_access';

/**
 * The scopes of a request: the requested ones, else the defaults. Scopes that no client can have here are left out, as
 * is an `offline_access` for which the client is not registered: many clients add them whatever the metadata say, and
 * the response has the granted scopes.
 *
 * @throws OAuthError invalid_scope if a requested scope exists and the client is not registered for it, or nothing is
 * left
 * @see RFC 6749 §3.3; OpenID Connect Core §3.1.2.1
 */
export function resolveScopes(request: {
  /** The `scope` parameter, if the request had one. */
  readonly scope: string | undefined;
  /** The registered scopes of the client. */
  readonly allowed: readonly string[];
  /** The scopes of a request without `scope`. */
  readonly defaults: readonly string[];
  /** Whether the server has a scope. Default: it has every scope. */
  readonly isKnown?: (scope: string) => boolean;
}) {
  const { scope, allowed, defaults, isKnown = () => true } = request;
  // RFC 6749 §3.3: without a scope, process with a pre-defined default value
  if (scope === undefined) return defaults.filter((candidate) => allowed.includes(candidate));
  const requested = parseScope(scope);
  const resolved = requested.filter((candidate) => allowed.includes(candidate));
  const refused = requested.find(
    (candidate) => !allowed.includes(candidate) && candidate !== OFFLINE_ACCESS && isKnown(candidate),
  );
  if (refused !== undefined) throw invalidScope(refused, 'scope_not_registered');
  const [first = ''] = requested;
  if (resolved.length === 0)
    throw invalidScope(first, isKnown(first) ? 'scope_not_registered' : 'scope_unknown');
  return resolved;
}

/**
 * The scopes that a request with a grant names, without those that no client can have here, and without an
 * `offline_access` that was not granted.
 *
 * @throws OAuthError invalid_scope if the `scope` parameter is malformed
 */
export function parseGrantedScope(
  scope: string,
  granted: readonly string[],
  isKnown: (scope: string) => boolean,
): readonly string[] {
  return parseScope(scope).filter(
    (candidate) => granted.includes(candidate) || (candidate !== OFFLINE_ACCESS && isKnown(candidate)),
  );
}

function invalidScope(scope: string, reason: 'scope_unknown' | 'scope_not_registered'): OAuthError {
  const displayed = scope.slice(0, 80);
  const description =
    reason === 'scope_unknown'
      ? `this server has no scope ${displayed}`
      : `the client is not registered for the scope ${displayed}`;
  return new OAuthError('invalid_scope', description, { reason });
}
