import type { ClientMetadata } from '../clients/client.js';
import type { ClientField } from '../clients/client-field.js';
import { algorithmsFor } from '../clients/client-profile.js';
import { flag } from '../clients/field-shapes.js';
import { createNonces } from '../proofs/nonces.js';
import { rememberUsedProofs } from '../proofs/used-proofs.js';
import { createProofVerifier } from '../proofs/verify-proof.js';
import type { Feature } from '../server/feature.js';

// with a type of its own: what is inferred would name types of zod in the declarations
const clientFields: readonly ClientField[] = [
  {
    name: 'dpopBoundAccessTokens' satisfies keyof ClientMetadata,
    shape: flag,
    stored: { type: Boolean },
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

/** Tokens that are bound to a key of their client. @see RFC 9449 */
export const dpop = {
  name: 'dpop',
  isOn: (settings) => settings.dpop !== false,
  authorizationParameters: ['dpop_jkt'],
  collections: ({ dpop: options }) =>
    options !== false && options.replay === 'mongodb' ? ['UsedProof'] : [],
  createProofs({ settings, models }) {
    const { dpop: options, serverSecret } = settings;
    if (options === false) throw new Error('DPoP is off');
    return createProofVerifier({
      usedProofs: options.replay === 'memory' ? rememberUsedProofs() : models.usedProofs,
      nonces: options.nonces ? createNonces(serverSecret) : undefined,
      maxAge: options.maxAge,
      algorithms: algorithmsFor(settings),
    });
  },
  // RFC 9449 §5.1
  metadata: (settings) => ({ dpop_signing_alg_values_supported: algorithmsFor(settings) }),
  clientFields,
} satisfies Feature;
