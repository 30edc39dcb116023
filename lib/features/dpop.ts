import type { ClientMetadata } from '../clients/client.js';
import type { ClientField } from '../clients/client-field.js';
import { algorithmsFor } from '../clients/client-profile.js';
import { flag } from '../clients/field-shapes.js';
import { describeBoundToKeys } from '../guard/protected-resource.js';
import { createNonces } from '../proofs/nonces.js';
import { missingProof } from '../proofs/proof.js';
import { rememberUsedProofs } from '../proofs/used-proofs.js';
import { createProofVerifier } from '../proofs/verify-proof.js';
import type { Feature } from '../server/feature.js';
import { switchedOn } from '../settings/switched-on.js';

// typed explicitly: the inferred type would name zod's types in the declarations
const clientFields: readonly ClientField[] = [
  {
    name: 'dpopBoundAccessTokens' satisfies keyof ClientMetadata,
    shape: flag,
    stored: { type: Boolean },
    requiresReapproval: true,
    wire: { name: 'dpop_bound_access_tokens' },
    flag: {
      flags: '--dpop',
      description: 'its tokens are bound to a key of its own, each of them (RFC 9449)',
      negated: { flags: '--no-dpop', description: 'if it wants to' },
    },
    printed: {
      label: 'DPoP',
      format: (isRequired: boolean | undefined) => (isRequired ? 'required' : undefined),
    },
  },
];

/** Tokens that are bound to a key of the client. @see RFC 9449 */
export const dpop = {
  name: 'dpop',
  isOn: (settings) => settings.dpop !== false,
  authorizationParameters: ['dpop_jkt'],
  collections: ({ dpop: options }) =>
    options !== false && options.replay === 'mongodb' ? ['UsedProof'] : [],
  createProofs({ settings, models }) {
    const options = switchedOn(settings.dpop, 'dpop');
    return createProofVerifier({
      usedProofs: options.replay === 'memory' ? rememberUsedProofs() : models.usedProofs,
      nonces: options.nonces ? createNonces(settings.serverSecret) : undefined,
      maxAge: options.maxAge,
      algorithms: algorithmsFor(settings),
    });
  },
  // RFC 9449 §5.2
  createBinding({ dpop: options }) {
    const { required: isRequired } = switchedOn(options, 'dpop');
    return ({ proof, client }) => {
      if (proof === undefined && (isRequired || client.dpopBoundAccessTokens === true))
        throw missingProof('tokens are bound to a key here');
      return proof && { jkt: proof.jkt };
    };
  },
  resourceMetadata: (settings) =>
    describeBoundToKeys({
      isRequired: switchedOn(settings.dpop, 'dpop').required,
      algorithms: algorithmsFor(settings),
    }),
  // RFC 9449 §5.1
  metadata: (settings) => ({ dpop_signing_alg_values_supported: algorithmsFor(settings) }),
  clientFields,
} satisfies Feature;
