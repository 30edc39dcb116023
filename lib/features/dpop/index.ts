import { asRequired, fieldsOf, flagClientField, type MetadataOf } from '../../core/clients/client-field.js';
import { algorithmsFor } from '../../core/clients/fapi-profile.js';
import { describeBoundToKeys } from '../../core/guard/protected-resource.js';
import { missingProof } from '../../core/proof-of-possession/binding.js';
import {
  createNonces,
  createProofVerifier,
  rememberUsedProofs,
} from '../../core/proof-of-possession/dpop-proof.js';
import type { Feature } from '../../server/server.js';
import { requireEnabled } from '../../settings/table/require-enabled.js';
import { dpopOptions } from './options.js';

const clientFieldRows = {
  /** Each of its tokens is bound to a key of its own. Needs `dpop`. Default: `false`. (RFC 9449 §5.2) */
  dpopBoundAccessTokens: flagClientField({
    requiresReapproval: true,
    wire: { name: 'dpop_bound_access_tokens' },
    printed: { label: 'DPoP', format: asRequired },
  }),
};

declare module '../../core/clients/client.js' {
  interface ClientMetadata extends MetadataOf<typeof clientFieldRows> {}
}

/** Tokens that are bound to a key of the client. @see RFC 9449 */
export const dpop = {
  name: 'dpop',
  isOn: (settings) => settings.dpop !== false,
  options: dpopOptions,
  findSecretNeed: ({ dpop: options }) => (options && options.nonces ? 'dpop.nonces' : undefined),
  authorizationParameters: ['dpop_jkt'],
  collections: ({ dpop: options }) => (options && options.replay === 'mongodb' ? ['UsedProof'] : []),
  createProofs({ settings, models }) {
    const options = requireEnabled(settings.dpop, 'dpop');
    return createProofVerifier({
      usedProofs: options.replay === 'memory' ? rememberUsedProofs() : models.usedProofs,
      nonces: options.nonces ? createNonces(settings.serverSecret) : undefined,
      clockTolerance: settings.security.clockTolerance,
      algorithms: algorithmsFor(settings),
    });
  },
  // RFC 9449 §5.2
  createBinding({ dpop: options }) {
    const { required: isRequired } = requireEnabled(options, 'dpop');
    return ({ dpopProof, client }) => {
      if (dpopProof === undefined && (isRequired || client.dpopBoundAccessTokens === true))
        throw missingProof('tokens are bound to a key here');
      return dpopProof && { jkt: dpopProof.jkt };
    };
  },
  resourceMetadata: (settings) =>
    describeBoundToKeys(requireEnabled(settings.dpop, 'dpop').required, algorithmsFor(settings)),
  // RFC 9449 §5.1
  metadata: (settings) => ({ dpop_signing_alg_values_supported: algorithmsFor(settings) }),
  clientFields: fieldsOf(clientFieldRows),
} satisfies Feature;
