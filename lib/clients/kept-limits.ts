import type { Client } from './client.js';
import type { RegistrationLimits } from './client-field.js';

/**
 * What a client can be registered for that is there already: what it has stays possible, whatever the options, the
 * rules for names or the server that it was taken over from were at that time. So whoever changes something else of it,
 * administrators and code too, takes nothing from it without a word.
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
