import { OAuthError } from '../errors.js';
import { isSubset } from './scope.js';
import { OPENID_SCOPES } from './standard-claims.js';

/** The resource servers behind this authorization server, by their identifiers as the site wrote them. */
export type Resources = ReadonlyMap<string, { readonly scopes?: readonly string[] | undefined }>;

/** More than any client needs; each costs a look-up and a place in the grant. */
const MAX_RESOURCES = 20;

/**
 * Whether two resource identifiers are the same URL: `https://api.example` and `https://api.example/` are.
 *
 * @see RFC 3986 §6.2.3
 */
export function isSameResource(a: string, b: string): boolean {
  return a === b || (URL.canParse(a) && URL.canParse(b) && new URL(a).href === new URL(b).href);
}

/**
 * The values of the parameter `resource`, which may be repeated, each as the site wrote it.
 *
 * @throws OAuthError invalid_target if one is unknown or malformed
 * @see RFC 8707 §2
 */
export function parseResources(values: readonly unknown[], resources: Resources): readonly string[] {
  // RFC 6749 §3.1: without resources the parameter is unknown, and ignored
  if (resources.size === 0) return [];
  if (values.length > MAX_RESOURCES)
    throw new OAuthError('invalid_target', 'there are too many resources', { reason: 'resource_unknown' });
  const matched = values.map((value) => {
    const resource =
      typeof value === 'string'
        ? [...resources.keys()].find((candidate) => isSameResource(candidate, value))
        : undefined;
    if (resource !== undefined) return resource;
    // RFC 8707 §2: invalid_target if it is invalid, unknown or malformed
    throw new OAuthError('invalid_target', 'the requested resource is unknown or malformed', {
      reason: 'resource_unknown',
      detail: typeof value === 'string' ? `resource ${value.slice(0, 200)}` : 'a resource that is no text',
    });
  });
  return [...new Set(matched)];
}

type OpenidScopes = { readonly scopeClaims: object } | false | undefined;

/**
 * Requires the parameter `resource` if the site requires it and has resources.
 *
 * @param scopes all scopes for which a user is asked. Default: they make no difference
 * @throws OAuthError invalid_target
 * @see RFC 8707 §2
 */
export function requireResource(
  requested: readonly string[],
  settings: {
    readonly resources: Resources;
    readonly security: { readonly requireResource: boolean };
    readonly openid: OpenidScopes;
  },
  scopes: readonly string[] = [],
): void {
  const { resources, security, openid } = settings;
  if (!security.requireResource || resources.size === 0 || requested.length > 0) return;
  if (scopes.includes('openid') && areOpenidScopes(scopes, openid)) return;
  throw new OAuthError('invalid_target', 'the parameter resource is missing: it says what the token is for', {
    reason: 'resource_missing',
  });
}

/**
 * Whether the userinfo endpoint serves all of these scopes: a client that only signs users in names no API, even if
 * `resource` is required. (OpenID Connect Core §5.3, §5.4)
 */
export function areOpenidScopes(scopes: readonly string[], openid: OpenidScopes): boolean {
  if (!openid) return false;
  return scopes.every(
    (scope) =>
      (OPENID_SCOPES as readonly string[]).includes(scope) || Object.hasOwn(openid.scopeClaims, scope),
  );
}

/**
 * The scopes that apply at one of the resources; all scopes if no resource is named.
 *
 * @throws OAuthError invalid_scope if none is left
 * @see RFC 8707 §2.2
 */
export function scopesAt(scopes: readonly string[], at: readonly string[], resources: Resources) {
  if (at.length === 0) return scopes;
  const fitting = scopes.filter((scope) =>
    at.some((resource) => resources.get(resource)?.scopes?.includes(scope) ?? true),
  );
  if (fitting.length === 0 && scopes.length > 0)
    throw new OAuthError('invalid_scope', 'none of the scopes belongs to the requested resource', {
      reason: 'resource_without_scopes',
    });
  return fitting;
}

/**
 * The stored form of a consent to these scopes: with the resources, because a scope may mean something else at another
 * one. No scope has a space.
 */
export function toConsent(scopes: readonly string[], resources: readonly string[]): readonly string[] {
  return resources.length === 0
    ? scopes
    : resources.flatMap((resource) => scopes.map((scope) => `${scope} ${resource}`));
}

/** The scopes of a stored consent that were allowed at all of these resources. */
export function fromConsent(consented: readonly string[], resources: readonly string[]): readonly string[] {
  if (resources.length === 0) return consented.filter((entry) => !entry.includes(' '));
  const scopes = new Set(consented.map((entry) => entry.split(' ')[0] ?? ''));
  return [...scopes].filter((scope) =>
    resources.every((resource) => consented.includes(`${scope} ${resource}`)),
  );
}

/**
 * The resource of an access token; undefined for the authorization server's API. A token for several resources
 * could be used by each at the others.
 *
 * @param requested the resources of the token request
 * @param granted the resources of the grant
 * @throws OAuthError invalid_target
 * @see RFC 8707 §2.2, §3
 */
export function selectResource(requested: readonly string[], granted: readonly string[] = []) {
  if (!isSubset(requested, granted))
    throw new OAuthError('invalid_target', 'the resource is not among those that were granted', {
      reason: 'resource_not_granted',
    });
  const [resource, ...more] = requested.length > 0 ? requested : granted;
  if (more.length > 0)
    throw new OAuthError(
      'invalid_target',
      'an access token is for one resource: name it by the parameter resource',
      { reason: 'resource_ambiguous' },
    );
  return resource;
}
