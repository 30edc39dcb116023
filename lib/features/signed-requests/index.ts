import type { ClientMetadata } from '../../core/clients/client.js';
import {
  asRequired,
  fieldsOf,
  flagClientField,
  type MetadataOf,
  textClientField,
} from '../../core/clients/client-field.js';
import { algorithmsFor } from '../../core/clients/fapi-profile.js';
import type { Feature } from '../../server/server.js';
import { requireEnabled } from '../../settings/table/require-enabled.js';
import { SIGNATURE_ALGORITHMS } from '../../shared/crypto/jwa.js';
import { signedRequestOptions } from './options.js';
import { createReferencedSource } from './referenced.js';
import { createOpenRequestObject } from './request-object.js';
import { createSignedSource } from './signed.js';

const clientFieldRows = {
  /** It has to sign its requests. Needs `signedRequests`. Default: `false`. (RFC 9101 §10.5) */
  requireSignedRequestObject: flagClientField({
    requiresReapproval: true,
    wire: { name: 'require_signed_request_object' },
    printed: { label: 'signed requests', format: asRequired },
  }),
  /** The only algorithm of its signed requests. Default: any that is supported. (RFC 9101 §4) */
  requestObjectSigningAlg: textClientField({
    findProblems: signingAlgProblem,
    wire: { name: 'request_object_signing_alg' },
    printed: { label: 'signed requests by' },
  }),
};

declare module '../../core/clients/client.js' {
  interface ClientMetadata extends MetadataOf<typeof clientFieldRows> {}
}

function signingAlgProblem({ requestObjectSigningAlg: algorithm }: ClientMetadata): string | undefined {
  if (algorithm === undefined || SIGNATURE_ALGORITHMS.includes(algorithm)) return undefined;
  return `Requests can be signed by ${SIGNATURE_ALGORITHMS.join(', ')}, not by ${algorithm.slice(0, 80)}.`;
}

/** Authorization requests that clients sign. @see RFC 9101 */
export const signedRequests = {
  name: 'signed-requests',
  isOn: (settings) => settings.signedRequests !== false,
  options: signedRequestOptions,
  findKeyNeeds({ signedRequests: options }) {
    const encryption = options && options.encryption;
    const isMadeHere = encryption && encryption.keys === undefined;
    return { encryption, neededBy: isMadeHere ? 'signedRequests.encryption' : undefined };
  },
  findSecretNeed: (settings) => (settings.signedRequests ? 'signedRequests' : undefined),
  createRequestSources(parts) {
    const { signedRequests: options, serverSecret } = parts.settings;
    // requests by reference and by value share this function and its cache of keys
    const open = createOpenRequestObject(parts);
    const signed = createSignedSource(open, serverSecret);
    return options && options.byReference ? [createReferencedSource(parts, open), signed] : [signed];
  },
  isSigningRequired: ({ signedRequests: options }, client) =>
    requireEnabled(options, 'signedRequests').required || client.requireSignedRequestObject === true,
  metadata: ({ signedRequests: options, profile }) => ({
    request_parameter_supported: true,
    request_object_signing_alg_values_supported: algorithmsFor({ profile }),
    // RFC 9101 §10.5
    ...(requireEnabled(options, 'signedRequests').required && { require_signed_request_object: true }),
  }),
  clientFields: fieldsOf(clientFieldRows),
} satisfies Feature;
