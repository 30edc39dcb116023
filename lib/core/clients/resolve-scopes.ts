import type { Settings } from '../../settings/settings.js';
import { OAuthError } from '../../shared/errors.js';
import type { AuthorizationDetail } from '../../shared/protocol/authorization-details.js';
import { withImplied } from '../../shared/protocol/implied-scopes.js';
import { resolveScopes } from '../../shared/protocol/scope.js';
import type { Client } from './client.js';

/**
 * Resolves the scopes of a request: the requested ones, or the defaults. Scopes that the server does not have are left
 * out. A request with authorization details alone does not get the defaults (RFC 9396 §3.1).
 *
 * @throws OAuthError invalid_scope
 * @see RFC 6749 §3.3; OpenID Connect Core §3.1.2.1
 */
export type ResolveScopes = ReturnType<typeof createScopeResolver>;

export function createScopeResolver(settings: Settings) {
  const { scopes, defaultScopes, scopesByName } = settings;
  return (
    client: Client,
    scope: string | undefined,
    authorizationDetails: readonly AuthorizationDetail[] = [],
  ): readonly string[] => {
    if (scope === undefined && authorizationDetails.length > 0) return [];
    return resolveScopes({
      scope,
      // a scope that the site has removed from its options is gone for registered clients as well
      allowed: client.scopes.filter((candidate) => Object.hasOwn(scopes, candidate)),
      defaults: defaultScopes ?? client.scopes.filter((candidate) => !scopesByName.includes(candidate)),
      isKnown: (name) => Object.hasOwn(scopes, name),
    });
  };
}

/**
 * The granted scopes that both the client's registration and this server still have.
 *
 * @throws OAuthError invalid_scope if none is left
 */
export function stillRegisteredScopes(
  granted: readonly string[],
  client: Client,
  { scopes, impliedScopes }: Settings,
): readonly string[] {
  const registered = withImplied(client.scopes, impliedScopes);
  const remaining = granted.filter((name) => registered.includes(name) && Object.hasOwn(scopes, name));
  if (remaining.length === 0 && granted.length > 0)
    throw new OAuthError('invalid_scope', 'the client is not registered for these scopes any more', {
      reason: 'scope_not_registered',
    });
  return remaining;
}
