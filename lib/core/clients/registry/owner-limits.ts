import type { Client, ClientMetadata } from '../client.js';
import type { RegistrationLimits } from '../client-field.js';
import type { ClientChanges } from './client-registry.js';

/**
 * What the owner of a client can register it for: what code has allowed it, otherwise what developers can choose here.
 * What it has already stays, so that nobody has to give up what they got before the site chose. Owners can add a scope
 * only if they could choose all grant types that would use it: `client_credentials` asks nobody about it.
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

/** What code sets for scopes and grant types limits the owner, too; what it does not set stays as it was. */
export function allowedAfter(allowed: Client['allowed'], { scopes, grantTypes }: ClientChanges) {
  if (!scopes && !grantTypes) return allowed;
  return { scopes: scopes ?? allowed?.scopes, grantTypes: grantTypes ?? allowed?.grantTypes };
}

/**
 * What code has narrowed does not come back if the client asks for it. RFC 7592 §2.2: the server MAY replace values;
 * the answer shows them.
 */
export function withinAllowed<Fields extends ClientMetadata>(
  { allowed = {} }: Client,
  fields: Fields,
): Fields {
  const within = (name: 'scopes' | 'grantTypes') =>
    fields[name].filter((value) => allowed[name]?.includes(value) ?? true);
  return { ...fields, scopes: within('scopes'), grantTypes: within('grantTypes') };
}
