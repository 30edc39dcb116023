import type { RequestSource } from '../../core/authorization/request-source.js';
import type { ClientMetadata } from '../../core/clients/client.js';
import {
  fieldsOf,
  flagClientField,
  type MetadataOf,
  textClientField,
} from '../../core/clients/client-field.js';
import { algorithmsFor } from '../../core/clients/fapi-profile.js';
import { clientFetchLimits } from '../../core/clients/untrusted-fetch-limits.js';
import { type ClientProblem, problem } from '../../core/clients/validation-error.js';
import { createDecryptionKeys } from '../../core/keys/decryption-keys.js';
import type { Feature, FeatureParts } from '../../server/feature.js';
import { encryptionAlgorithmsOf } from '../../settings/options/signing-key-options.js';
import { switchedOn } from '../../settings/table/switched-on.js';
import { algorithmsTo, SIGNATURE_ALGORITHMS } from '../../shared/crypto/jwa.js';
import { createDecryptObject } from './encrypted-object.js';
import { createFetchRequestObject } from './fetch-request-object.js';
import { signedRequestOptions } from './options.js';
import { createReferencedSource } from './referenced.js';
import { createOpenRequestObject } from './request-object.js';
import { createSignedSource } from './signed.js';

/** What its clients are registered with. */
const clientFieldRows = {
  /** It has to sign its requests. Needs `signedRequests`. Default: `false`. (RFC 9101 §10.5) */
  requireSignedRequestObject: flagClientField({
    requiresReapproval: true,
    wire: { name: 'require_signed_request_object' },
    printed: {
      label: 'signed requests',
      format: (isRequired: boolean | undefined) => (isRequired ? 'required' : undefined),
    },
  }),
  /** The only algorithm of its signed requests. Default: any that is supported. (RFC 9101 §4) */
  requestObjectSigningAlg: textClientField({
    findProblems: signingAlgProblems,
    wire: { name: 'request_object_signing_alg' },
    printed: { label: 'signed requests by' },
  }),
};

declare module '../../core/clients/client.js' {
  interface ClientMetadata extends MetadataOf<typeof clientFieldRows> {}
}

function signingAlgProblems({ requestObjectSigningAlg: algorithm }: ClientMetadata): ClientProblem[] {
  if (algorithm === undefined || SIGNATURE_ALGORITHMS.includes(algorithm)) return [];
  return problem(
    'requestObjectSigningAlg',
    `Requests can be signed by ${SIGNATURE_ALGORITHMS.join(', ')}, not by ${algorithm.slice(0, 80)}.`,
  );
}

/** Requests by reference and by value share one function that opens them, with its cache of keys. */
function createSources({
  settings,
  limitUntrustedFetch,
  clientKeys,
  signingKeys,
}: FeatureParts): readonly RequestSource[] {
  const { byReference } = switchedOn(settings.signedRequests, 'signedRequests');
  const algorithms = algorithmsTo(encryptionAlgorithmsOf(settings));
  const open = createOpenRequestObject({
    ...settings,
    clockTolerance: settings.security.clockTolerance,
    clientKeys,
    ...(algorithms.length > 0 && {
      decrypt: createDecryptObject({ findKey: createDecryptionKeys(signingKeys), algorithms }),
    }),
  });
  const secret = settings.serverSecret;
  const signed = createSignedSource({ open, secret });
  if (!byReference) return [signed];
  const isOpenid = settings.openid !== false;
  const fetchObject = createFetchRequestObject({
    limits: clientFetchLimits(settings),
    limitUntrustedFetch,
    isOpenid,
  });
  return [createReferencedSource({ open, fetchObject, secret, isOpenid }), signed];
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
  createRequestSources: createSources,
  isSigningRequired: ({ signedRequests: options }, client) =>
    switchedOn(options, 'signedRequests').required || client.requireSignedRequestObject === true,
  metadata: ({ signedRequests: options, profile }) => ({
    request_parameter_supported: true,
    request_object_signing_alg_values_supported: algorithmsFor({ profile }),
    // RFC 9101 §10.5
    ...(switchedOn(options, 'signedRequests').required && { require_signed_request_object: true }),
  }),
  clientFields: fieldsOf(clientFieldRows),
} satisfies Feature;
