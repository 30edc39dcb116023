import { SIGNATURE_ALGORITHMS } from '../../../shared/crypto/signature-algorithms.js';
import type { ClientMetadata } from '../client.js';
import { field } from '../client-field.js';
import type { ClientProblem } from '../validation-error.js';
import { textSchema } from './schemas.js';

/** The algorithms for keys, and the one for secrets. */
const KNOWN = [...SIGNATURE_ALGORITHMS, 'HS256'];

/** The algorithm of the JWTs with which a client authenticates. @see OpenID Connect Registration §2 */
export const AUTH_SIGNING_ALG = field<string>({
  shape: textSchema,
  stored: { type: String },
  findProblems: signingAlgProblems,
  wire: { name: 'token_endpoint_auth_signing_alg' },
  flag: {
    flags: '--auth-signing-alg <algorithm>',
    description: 'the one by which it signs the JWTs that it authenticates by',
  },
  printed: { label: 'authenticates by JWTs signed by' },
});

function signingAlgProblems({
  tokenEndpointAuthSigningAlg: algorithm,
}: ClientMetadata): readonly ClientProblem[] {
  // none MUST NOT be used
  if (algorithm === undefined || KNOWN.includes(algorithm)) return [];
  const problem = `Clients sign by ${KNOWN.join(', ')}, not by ${algorithm.slice(0, 80)}.`;
  return [{ field: 'tokenEndpointAuthSigningAlg', problem }];
}
