import type { Client } from './client.js';
import type { RegistrationLimits } from './client-field.js';
import type { ClientChanges } from './client-registry.js';

/**
 * What the owner of a client can register it for: what code has allowed it, else what developers can choose here; and
 * what it has, so that nobody has to give up what they got before the host chose.
 */
export function ownerLimitsOf(
  { allowed = {}, scopes, grantTypes }: Client,
  limits: RegistrationLimits,
): RegistrationLimits {
  const union = (one: readonly string[], other: readonly string[]) => [...new Set([...one, ...other])];
  return {
    ...limits,
    scopes: union(allowed.scopes ?? limits.scopes, scopes),
    grantTypes: union(allowed.grantTypes ?? limits.grantTypes, grantTypes),
  };
}

/** What code says of scopes and grant types holds for the owner, too; what it does not say stays as it was. */
export function withAllowed(
  { allowed }: Pick<Client, 'allowed'>,
  { scopes, grantTypes }: Pick<ClientChanges, 'scopes' | 'grantTypes'>,
): Pick<Client, 'allowed'> {
  if (!scopes && !grantTypes) return {};
  return { allowed: { ...allowed, ...(scopes && { scopes }), ...(grantTypes && { grantTypes }) } };
}
