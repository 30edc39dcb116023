import { createPublicKey } from 'node:crypto';

import type { ClientMetadata } from '../../core/clients/client.js';
import type { ProblemResult } from '../../core/clients/validation-error.js';
import { parseCertificate } from '../../shared/crypto/client-certificate.js';
import { SUBJECT_KINDS, subjectsOf } from './certificate-subject.js';

const PKI = 'tls_client_auth';
const SELF_SIGNED = 'self_signed_tls_client_auth';

/** The problems of the certificate fields of a client (RFC 8705 §2.1.2, §2.2.2). */
export function certificateProblems(client: ClientMetadata): readonly ProblemResult[] {
  const { tokenEndpointAuthMethod: method, jwks, jwksUri } = client;
  const subjects = subjectsOf(client);
  const problems = subjects.flatMap(({ field, value }): ProblemResult[] => {
    const { isPossible, description } = SUBJECT_KINDS[field];
    return isPossible(value) ? [] : [{ field, problem: `${field} must be ${description}.` }];
  });

  // RFC 8705 §2.1.2: exactly one
  if (method === PKI && subjects.length !== 1)
    problems.push(
      `${PKI} needs one subject of the certificate, and ${subjects.length === 0 ? 'there is none' : 'there are more'}: ${Object.keys(SUBJECT_KINDS).join(', ')}.`,
    );
  if (method !== PKI && subjects.length > 0) problems.push(`A subject of a certificate is for ${PKI} alone.`);

  // RFC 8705 §2.2.2
  if (method === SELF_SIGNED && jwksUri === undefined) {
    const keys = jwks?.keys.filter(({ x5c }) => x5c !== undefined) ?? [];
    // RFC 7517 §4.7: the key in the first certificate MUST match the key in the other members
    const isOfItsCertificate = keys.every((jwk) => {
      const [der] = [jwk.x5c ?? []].flat();
      const x509 = der === undefined ? undefined : parseCertificate(Buffer.from(der, 'base64'));
      try {
        return x509?.publicKey.equals(createPublicKey({ key: { ...jwk }, format: 'jwk' })) === true;
      } catch {
        return false;
      }
    });
    if (keys.length === 0)
      problems.push({
        field: 'jwks',
        problem: `${SELF_SIGNED} needs a certificate: x5c of a key of jwks, or of jwksUri.`,
      });
    else if (!isOfItsCertificate)
      problems.push({
        field: 'jwks',
        problem: 'The x5c of a key is no certificate, or that of another key.',
      });
  }
  return problems;
}
