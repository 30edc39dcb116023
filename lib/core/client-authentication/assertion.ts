import { decodeProtectedHeader } from 'jose/decode/protected_header';
import { decodeJwt } from 'jose/jwt/decode';

import type { Parameters } from '../../shared/protocol/parameters.js';
import type { Client } from '../clients/client.js';
import { invalidClient } from './invalid-client.js';
import type { ClientAssertion } from './verify-assertion.js';

/** RFC 7523 §2.2: an assertion of a client about itself. */
const JWT_BEARER = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

export const ASSERTION_PARAMETERS = ['client_id', 'client_assertion_type', 'client_assertion'];

/** Characters. An assertion with an RSA signature of 4096 bits and an `x5c` has about 2,000. */
const MAX_LENGTH = 8192;
const MAX_CLIENT_ID_LENGTH = 200;
const MALFORMED = 'the client assertion is malformed';

/**
 * The assertion of a request, parsed but not verified; null if there is none.
 *
 * @param format `otherTypes`: the `client_assertion_type`s of other enabled methods, which read such assertions
 * themselves. `maxSubjectLength`: characters of `sub`
 * @throws OAuthError invalid_client if the value cannot be an assertion
 * @see RFC 7521 §4.2, RFC 7523 §2.2
 */
export function readAssertion(
  { client_assertion_type: type, client_assertion: jwt }: Parameters,
  format: { type?: string; otherTypes?: readonly string[]; maxSubjectLength?: number } = {},
): ClientAssertion | null {
  const { type: expected = JWT_BEARER, otherTypes = [], maxSubjectLength = MAX_CLIENT_ID_LENGTH } = format;
  if (type === undefined && jwt === undefined) return null;
  if (type !== undefined && otherTypes.includes(type)) return null;
  const description =
    'client_assertion and client_assertion_type are needed, for a JWT (RFC 7523 section 2.2)';
  if (type !== expected || jwt === undefined)
    throw invalidClient(`client_assertion_type is ${String(type).slice(0, 200)}`, {
      reason: 'assertion_malformed',
      description,
    });
  if (jwt.length > MAX_LENGTH)
    throw invalidClient(`the assertion has ${jwt.length} characters`, {
      reason: 'assertion_malformed',
      description: 'the client assertion is too long',
    });
  let alg: unknown;
  let sub: unknown;
  try {
    ({ alg } = decodeProtectedHeader(jwt));
    ({ sub } = decodeJwt(jwt));
  } catch (cause) {
    throw invalidClient('no JWT', { reason: 'assertion_malformed', description: MALFORMED, cause });
  }
  // RFC 7523 §3: the subject MUST be the client_id
  if (typeof alg !== 'string' || typeof sub !== 'string' || sub === '' || sub.length > maxSubjectLength)
    throw invalidClient('no alg or no sub', { reason: 'assertion_malformed', description: MALFORMED });
  return { jwt, algorithm: alg, clientId: sub };
}

/** OpenID Connect Registration §2: an assertion by another algorithm than the registered one MUST be rejected. */
export function registeredAlgorithms(
  { tokenEndpointAuthSigningAlg: registered }: Client,
  ofMethod: readonly string[],
): readonly string[] {
  return registered === undefined ? ofMethod : ofMethod.filter((algorithm) => algorithm === registered);
}
