import type { Client } from './client.js';
import type { RegistrationLimits } from './client-field.js';

/**
 * What a client that exists can be registered for: what it has stays possible, whatever the options, the rules for
 * names or the server it was taken over from were at that time. So nobody who changes something else, not even
 * administrators and code, takes anything from it unasked.
 */
export function keepingOwn(
  limits: RegistrationLimits,
  { name, redirectUris, scopes, grantTypes }: Pick<Client, 'name' | 'redirectUris' | 'scopes' | 'grantTypes'>,
): RegistrationLimits {
  return {
    ...limits,
    scopes: [...new Set([...limits.scopes, ...scopes])],
    grantTypes: [...new Set([...limits.grantTypes, ...grantTypes])],
    keptName: name,
    keptRedirectUris: redirectUris,
  };
}
