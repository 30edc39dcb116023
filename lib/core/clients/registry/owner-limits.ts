import type { Client, ClientMetadata } from '../client.js';
import type { RegistrationLimits } from '../client-field.js';
import type { ClientChanges } from './client-registry.js';

/**
 * The limits for the owner of a client: what code has allowed, otherwise what developers can choose here. Current
 * values stay, so that nobody loses what they had before the site set limits. Owners can add a scope only if they could
 * choose all grant types that would use it: `client_credentials` needs no user's consent.
 */
export function ownerLimitsOf(
  { allowed = {}, scopes, grantTypes }: Client,
  limits: RegistrationLimits,
): RegistrationLimits {
  const isBeyond = [...grantTypes, ...(allowed.grantTypes ?? [])].some(
    (name) => !limits.grantTypes.includes(name),
  );
  return {
    ...limits,
    // Code that left `scopes` to `defaultScopes` has not allowed the owner every scope.
    scopes: [...new Set([...(allowed.scopes ?? (isBeyond ? scopes : limits.scopes)), ...scopes])],
    grantTypes: [...new Set([...(allowed.grantTypes ?? limits.grantTypes), ...grantTypes])],
  };
}

/** Scopes and grant types that code sets also limit the owner; an absent field keeps its limit. */
export function allowedAfter(allowed: Client['allowed'], { scopes, grantTypes }: ClientChanges) {
  if (!scopes && !grantTypes) return allowed;
  return { scopes: scopes ?? allowed?.scopes, grantTypes: grantTypes ?? allowed?.grantTypes };
}

/**
 * Removes values beyond the limits that code has set. RFC 7592 §2.2: the server MAY replace values; the response shows
 * them.
 */
export function withinAllowed<Fields extends ClientMetadata>(
  { allowed = {} }: Client,
  fields: Fields,
): Fields {
  const within = (name: 'scopes' | 'grantTypes') =>
    fields[name].filter((value) => allowed[name]?.includes(value) ?? true);
  return { ...fields, scopes: within('scopes'), grantTypes: within('grantTypes') };
}
