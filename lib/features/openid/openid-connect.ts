import { type Prompt, PROMPTS } from '../../core/authorization/prompt.js';
import { fieldsOf } from '../../core/clients/client-field.js';
import { subjectTypesOf } from '../../core/openid/subjects.js';
import type { Feature } from '../../server/server.js';
import { signingAlgorithmsOf } from '../../settings/options/signing-key-options.js';
import type { Settings } from '../../settings/settings.js';
import { requireEnabled } from '../../settings/table/require-enabled.js';
import { CONTENT_ENCRYPTION_ALGORITHMS, KEY_ENCRYPTION_ALGORITHMS } from '../../shared/crypto/jwa.js';
import { OPENID_CONFIGURATION } from '../../shared/protocol/well-known.js';
import { openidFieldRows } from './client-fields.js';
import { createLogout } from './create-logout.js';
import { endSession } from './end-session.js';
import { createOpenidLoginPolicy } from './openid-login-policy.js';
import { openidScopes, openidServerOptions } from './options.js';
import { userinfo } from './userinfo.js';
import { createOpenidResponse } from './with-id-token.js';

/** Initiating User Registration §4: `create`, if users can sign up. */
function promptsOf({ openid }: Settings): readonly Prompt[] {
  return requireEnabled(openid, 'openid').signUp === undefined ? [] : ['create'];
}

/**
 * Other sites and apps sign users in through this site. A logout here reaches them, and a logout there this site.
 *
 * @see OpenID Connect Core 1.0, Discovery 1.0, RP-Initiated Logout 1.0, Back-Channel Logout 1.0, Front-Channel Logout
 * 1.0
 */
export const openidConnect = {
  name: 'openid-connect',
  isOn: (settings) => Boolean(settings.openid),
  options: openidServerOptions,
  scopes: openidScopes,
  // OpenID Connect Core §15.1: RS256, unless a profile forbids it (FAPI 2.0 Security Profile §5.4.1-1)
  findKeyNeeds({ openid, profile }) {
    if (!openid) return {};
    const always = profile === undefined ? (['RS256'] as const) : [];
    return { neededBy: 'openid', alsoAlgorithms: [...always, ...openid.algorithms] };
  },
  endpoints: [userinfo, endSession],
  collections: () => ['SignIn', 'Webhook'],
  createResponseTypes: ({ openid }) =>
    requireEnabled(openid, 'openid').responseTypes.map(createOpenidResponse),
  authorizationParameters: ['max_age', 'claims', 'nonce', 'id_token_hint'],
  prompts: promptsOf,
  metadataPaths: [OPENID_CONFIGURATION],
  createLoginPolicy: (parts) => createOpenidLoginPolicy(parts),
  createLogout,
  // OpenID Connect Discovery §3
  metadata: (settings) => ({
    subject_types_supported: subjectTypesOf(settings.openid),
    id_token_signing_alg_values_supported: signingAlgorithmsOf(settings),
    claim_types_supported: ['normal'],
    // including the claims about the login itself
    claims_supported: [
      ...new Set([
        ...['sub', 'iss', 'auth_time', 'acr', 'amr'],
        ...Object.values(requireEnabled(settings.openid, 'openid').scopeClaims).flat(),
      ]),
    ],
    claims_parameter_supported: true,
    id_token_encryption_alg_values_supported: KEY_ENCRYPTION_ALGORITHMS,
    id_token_encryption_enc_values_supported: CONTENT_ENCRYPTION_ALGORITHMS,
    userinfo_signing_alg_values_supported: signingAlgorithmsOf(settings),
    userinfo_encryption_alg_values_supported: KEY_ENCRYPTION_ALGORITHMS,
    userinfo_encryption_enc_values_supported: CONTENT_ENCRYPTION_ALGORITHMS,
    prompt_values_supported: [...PROMPTS, ...promptsOf(settings)],
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
    frontchannel_logout_supported: true,
    frontchannel_logout_session_supported: true,
  }),
  clientFields: fieldsOf(openidFieldRows),
} satisfies Feature;
