import { type Profile, PROFILE_ALGORITHMS } from '../../settings/features/profile-options.js';
import { usualAlgorithmOf } from '../../settings/options/signing-key-options.js';
import { SIGNATURE_ALGORITHMS } from '../../shared/crypto/signature-algorithms.js';

interface Held {
  readonly profile?: Profile | undefined;
}

/** Whether a client is held to FAPI 2.0, by its own profile or by that of the site. */
export function isHeldToFapi(settings: Held, client: Held = {}): boolean {
  return settings.profile !== undefined || client.profile !== undefined;
}

/** Whether a client has to sign its requests, and gets its answers signed. (FAPI 2.0 Message Signing) */
export function isHeldToSigning(settings: Held, client: Held = {}): boolean {
  return [settings.profile, client.profile].includes('fapi2-message-signing');
}

/**
 * The algorithms for a client that has registered none: RS256, as OpenID Connect Registration §2 and JARM §3 ask,
 * unless its profile forbids that (FAPI 2.0 Security Profile §5.4.1-1).
 */
export function defaultAlgorithms(
  settings: Held & Parameters<typeof usualAlgorithmOf>[0],
): (client: Held) => string {
  return (client) => (isHeldToFapi(settings, client) ? usualAlgorithmOf(settings) : 'RS256');
}

/** The algorithms with which a client may sign. (FAPI 2.0 Security Profile §5.4.1) */
export function algorithmsFor(settings: Held, client: Held = {}): readonly string[] {
  return isHeldToFapi(settings, client) ? PROFILE_ALGORITHMS : SIGNATURE_ALGORITHMS;
}
