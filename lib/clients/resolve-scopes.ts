import { resolveScopes } from '../protocol/scope.js';
import type { Settings } from '../settings/settings.js';
import type { Client } from './client.js';

/**
 * Gives the scopes that a client gets for a request: those it names, or the default ones.
 *
 * @throws OAuthError invalid_scope
 */
export type ResolveScopes = (client: Client, scope: string | undefined) => readonly string[];

export function createScopeResolver({
  scopes,
  defaultScopes,
}: Pick<Settings, 'scopes' | 'defaultScopes'>): ResolveScopes {
  return (client, scope) =>
    resolveScopes({
      scope,
      // a scope that the host has taken out of its options is gone for clients registered for it, too
      allowed: client.scopes.filter((candidate) => Object.hasOwn(scopes, candidate)),
      defaults: defaultScopes ?? client.scopes,
    });
}
