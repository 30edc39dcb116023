import type { Profile } from '../../settings/options/profile-options.js';
import { defaultAlgorithmOf } from '../../settings/options/signing-key-options.js';
import { PROFILE_ALGORITHMS } from '../../settings/profile.js';
import { SIGNATURE_ALGORITHMS } from '../../shared/crypto/jwa.js';

interface ProfiledClientFields {
  readonly profile?: Profile | undefined;
}

/** Whether FAPI 2.0 applies to a client, by its own profile or by the site's. */
export function requiresFapi(settings: ProfiledClientFields, client: ProfiledClientFields = {}): boolean {
  return settings.profile !== undefined || client.profile !== undefined;
}

/** Whether a client has to sign its requests, and gets signed responses. (FAPI 2.0 Message Signing) */
export function requiresMessageSigning(settings: ProfiledClientFields, client: ProfiledClientFields = {}) {
  return [settings.profile, client.profile].includes('fapi2-message-signing');
}

/**
 * The algorithm for a client without a registered one: RS256, as OpenID Connect Registration §2 and JARM §3 require,
 * unless the profile forbids it (FAPI 2.0 Security Profile §5.4.1-1).
 */
export function defaultAlgorithms(
  settings: ProfiledClientFields & Parameters<typeof defaultAlgorithmOf>[0],
): (client: ProfiledClientFields) => string {
  return (client) => (requiresFapi(settings, client) ? defaultAlgorithmOf(settings) : 'RS256');
}

/** The algorithms by which a client may sign. (FAPI 2.0 Security Profile §5.4.1) */
export function algorithmsFor(settings: ProfiledClientFields, client: ProfiledClientFields = {}) {
  return requiresFapi(settings, client) ? PROFILE_ALGORITHMS : SIGNATURE_ALGORITHMS;
}
