import type { ClientMetadata } from '../clients/client.js';
import type { ClientField, RegistrationLimits } from '../clients/client-field.js';
import type { ClientProblem } from '../clients/client-problem.js';
import { text } from '../clients/field-shapes.js';
import { SIGNING_ALGORITHMS } from '../crypto/key-material.js';
import { userinfo } from '../endpoints/userinfo.js';
import { loginFactsOf } from '../openid/login-facts.js';
import type { Feature } from '../server/feature.js';
import type { Settings } from '../settings/settings.js';
import { signingAlgorithmsOf } from '../settings/signing-key-options.js';

function algorithmProblems(
  { idTokenSignedResponseAlg: algorithm }: ClientMetadata,
  { signingAlgorithms = SIGNING_ALGORITHMS }: RegistrationLimits,
): readonly ClientProblem[] {
  if (algorithm === undefined || signingAlgorithms.includes(algorithm)) return [];
  const problem = `ID tokens of this server are signed by ${signingAlgorithms.join(' or ')}, not by ${algorithm.slice(0, 80)}.`;
  return [{ field: 'idTokenSignedResponseAlg', problem }];
}

// with a type of its own: what is inferred would name types of zod in the declarations
const clientFields: readonly ClientField[] = [
  {
    name: 'idTokenSignedResponseAlg' satisfies keyof ClientMetadata,
    shape: text,
    stored: { type: String },
    findProblems: algorithmProblems,
    wire: { name: 'id_token_signed_response_alg' },
    flag: { flags: '--id-token-alg <algorithm>', description: 'by which its ID tokens are signed' },
    printed: { label: 'ID tokens signed by' },
  },
];

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
  createLoginRecord({ settings: { openid } }) {
    if (openid === false) throw new Error('openid is off');
    return (req, { nonce }) => ({ ...(nonce !== undefined && { nonce }), ...loginFactsOf(openid, req) });
  },
  // OpenID Connect Discovery §3
  metadata: (settings) => ({
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: signingAlgorithmsOf(settings),
    claim_types_supported: ['normal'],
    claims_supported: claimsOf(settings),
    claims_parameter_supported: false,
  }),
  clientFields,
} satisfies Feature;
