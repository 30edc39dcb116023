import { createOpenidLogins } from '../authorization/openid-logins.js';
import { createOpenidResponse } from '../authorization/response-types/with-id-token.js';
import { tellSessionState } from '../authorization/tell-session-state.js';
import { OPENID_FIELDS } from '../clients/openid-fields.js';
import { CONTENT_ENCRYPTION_ALGORITHMS, KEY_ENCRYPTION_ALGORITHMS } from '../crypto/encryption-algorithms.js';
import { userinfo } from '../endpoints/userinfo.js';
import type { Feature } from '../server/feature.js';
import { promptsOf } from '../server/request-rules.js';
import { subjectTypesOf } from '../settings/openid-options.js';
import type { Settings } from '../settings/settings.js';
import { signingAlgorithmsOf } from '../settings/signing-key-options.js';

/** The claims that are told of, or of which something is said beside. */
function claimsOf({ openid }: Settings): readonly string[] {
  if (openid === false) return [];
  return [...new Set(['sub', 'iss', 'auth_time', 'acr', 'amr', ...Object.values(openid.scopeClaims).flat()])];
}

/** Other sites and apps sign people in by this one. @see OpenID Connect Core 1.0, Discovery 1.0 */
export const openidConnect = {
  name: 'openid-connect',
  isOn: (settings) => settings.openid !== false,
  endpoints: [userinfo],
  createResponseTypes: ({ openid }) =>
    openid === false ? [] : openid.responseTypes.map(createOpenidResponse),
  authorizationParameters: ['max_age', 'claims'],
  createLogins({ settings }) {
    const { openid } = settings;
    if (openid === false) throw new Error('openid is off');
    return {
      ...createOpenidLogins(openid, settings),
      ...(openid.sessionManagement && { tell: (asked) => tellSessionState(settings, asked) }),
    };
  },
  // OpenID Connect Discovery §3
  metadata: (settings) => ({
    subject_types_supported: subjectTypesOf(settings.openid),
    id_token_signing_alg_values_supported: signingAlgorithmsOf(settings),
    claim_types_supported: ['normal'],
    claims_supported: claimsOf(settings),
    claims_parameter_supported: true,
    id_token_encryption_alg_values_supported: KEY_ENCRYPTION_ALGORITHMS,
    id_token_encryption_enc_values_supported: CONTENT_ENCRYPTION_ALGORITHMS,
    userinfo_signing_alg_values_supported: signingAlgorithmsOf(settings),
    userinfo_encryption_alg_values_supported: KEY_ENCRYPTION_ALGORITHMS,
    userinfo_encryption_enc_values_supported: CONTENT_ENCRYPTION_ALGORITHMS,
    prompt_values_supported: promptsOf(settings),
  }),
  clientFields: OPENID_FIELDS,
} satisfies Feature;
