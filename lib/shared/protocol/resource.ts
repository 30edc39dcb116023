import { OAuthError } from '../errors.js';
import { isSubset } from './scope.js';
import { OPENID_SCOPES } from './standard-claims.js';

/** The resource servers behind this authorization server, by their identifiers as the site wrote them. */
export type Resources = ReadonlyMap<string, { readonly scopes?: readonly string[] | undefined }>;

/** Nobody needs more; each costs a look-up and a place in the grant. */
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
  // RFC 6749 §3.1: a server without resources does not know the parameter, and ignores it
  if (resources.size === 0) return [];
  if (values.length > MAX_RESOURCES)
    throw new OAuthError('invalid_target', 'there are too many resources', { reason: 'resource_unknown' });
  const found = values.map((value) => {
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
  return [...new Set(found)];
}

type OpenidScopes = { readonly scopeClaims: object } | false;

/**
 * Insists on the parameter `resource` if the site requires it and has resources.
 *
 * @param scopes all that a user is asked for. Default: they make no difference
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
 * Whether the userinfo endpoint serves all of these scopes: where each API is named, a client that only signs users in
 * names none. (OpenID Connect Core §5.3, §5.4)
 */
export function areOpenidScopes(scopes: readonly string[], openid: OpenidScopes): boolean {
  return (
    openid !== false &&
    scopes.every(
      (scope) =>
        (OPENID_SCOPES as readonly string[]).includes(scope) || Object.hasOwn(openid.scopeClaims, scope),
    )
  );
}

/**
 * The scopes that mean something at one of the resources; all scopes if no resource is named.
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
 * How a consent to these scopes is remembered: with the resources, since they mean something else at others. No scope
 * has a space.
 */
export function toConsent(scopes: readonly string[], resources: readonly string[]): readonly string[] {
  return resources.length === 0
    ? scopes
    : resources.flatMap((resource) => scopes.map((scope) => `${scope} ${resource}`));
}

/** The scopes in a remembered consent that were allowed at all of these resources. */
export function fromConsent(consented: readonly string[], resources: readonly string[]): readonly string[] {
  if (resources.length === 0) return consented.filter((entry) => !entry.includes(' '));
  const scopes = new Set(consented.map((entry) => entry.split(' ')[0] ?? ''));
  return [...scopes].filter((scope) =>
    resources.every((resource) => consented.includes(`${scope} ${resource}`)),
  );
}

/**
 * The one resource that an access token is for, undefined for the authorization server's own API. If a token were for
 * several, each could use it at the others.
 *
 * @param requested the resources in the request that the token answers
 * @param granted what the grant is for
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
