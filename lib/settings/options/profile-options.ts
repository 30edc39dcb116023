import { option } from '../table/option.js';
import { oneOf } from '../table/shapes.js';

/** Profiles of the FAPI working group; the second includes the first. */
export const PROFILES = ['fapi2', 'fapi2-message-signing'] as const;
export type Profile = (typeof PROFILES)[number];

/** The profiles of the FAPI working group. */
export const profileOptions = {
  /**
   * Holds the whole site to a profile of FAPI 2.0: `'fapi2'` (Security Profile) or `'fapi2-message-signing'`, with
   * signed requests and responses. It sets what the profile asks for (`pushedRequests`, `security.pkce`, `dpop` unless
   * there is `mutualTls`, `signedRequests`, `signedResponses`), and refuses what breaks it. Default: none.
   */
  profile: option({ shape: () => oneOf(PROFILES) }),
};
