import type { Profile } from '../../settings/options/profile-options.js';
import { defaultAlgorithmOf } from '../../settings/options/signing-key-options.js';
import { PROFILE_ALGORITHMS } from '../../settings/profile.js';
import { SIGNATURE_ALGORITHMS } from '../../shared/crypto/jwa.js';

interface ProfiledClientFields {
  readonly profile?: Profile | undefined;
}

/** Whether a client is held to FAPI 2.0, by its own profile or by that of the site. */
export function requiresFapi(settings: ProfiledClientFields, client: ProfiledClientFields = {}): boolean {
  return settings.profile !== undefined || client.profile !== undefined;
}

/** Whether a client has to sign its requests, and gets its answers signed. (FAPI 2.0 Message Signing) */
export function requiresMessageSigning(settings: ProfiledClientFields, client: ProfiledClientFields = {}) {
  return [settings.profile, client.profile].includes('fapi2-message-signing');
}

/**
 * The algorithms for a client that has registered none: RS256, as OpenID Connect Registration §2 and JARM §3 ask,
 * unless its profile forbids that (FAPI 2.0 Security Profile §5.4.1-1).
 */
export function defaultAlgorithms(
  settings: ProfiledClientFields & Parameters<typeof defaultAlgorithmOf>[0],
): (client: ProfiledClientFields) => string {
  return (client) => (requiresFapi(settings, client) ? defaultAlgorithmOf(settings) : 'RS256');
}

/** The algorithms with which a client may sign. (FAPI 2.0 Security Profile §5.4.1) */
export function algorithmsFor(settings: ProfiledClientFields, client: ProfiledClientFields = {}) {
  return requiresFapi(settings, client) ? PROFILE_ALGORITHMS : SIGNATURE_ALGORITHMS;
}
