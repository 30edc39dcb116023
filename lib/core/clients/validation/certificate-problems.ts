import { createPublicKey } from 'node:crypto';

import { parseCertificate } from '../../../shared/crypto/client-certificate.js';
import type { ClientMetadata, PublicJwk } from '../client.js';
import type { ClientProblem } from '../validation-error.js';
import { SUBJECT_KINDS, subjectsOf } from './certificate-subject.js';

const PKI = 'tls_client_auth';
const SELF_SIGNED = 'self_signed_tls_client_auth';

/** What is wrong with the certificate data by which a client is to be known (RFC 8705 §2.1.2, §2.2.2). */
export function certificateProblems(client: ClientMetadata): ClientProblem[] {
  const subjects = subjectsOf(client);
  const wrong = subjects.flatMap(({ field, value }): ClientProblem[] => {
    const { isPossible, description } = SUBJECT_KINDS[field];
    return isPossible(value) ? [] : [{ field, problem: `${field} must be ${description}.` }];
  });
  return [...wrong, ...countProblems(client, subjects.length), ...selfSignedProblems(client)];
}

/** RFC 8705 §2.1.2: exactly one. */
function countProblems({ tokenEndpointAuthMethod: method }: ClientMetadata, count: number): ClientProblem[] {
  const field = 'tlsClientAuthSubjectDn';
  if (method === PKI && count !== 1)
    return [
      {
        field,
        problem: `${PKI} needs one subject of the certificate, and ${count === 0 ? 'there is none' : 'there are more'}: ${Object.keys(SUBJECT_KINDS).join(', ')}.`,
      },
    ];
  return method === PKI || count === 0
    ? []
    : [{ field, problem: `A subject of a certificate is for ${PKI} alone.` }];
}

function selfSignedProblems({
  tokenEndpointAuthMethod: method,
  jwks,
  jwksUri,
}: ClientMetadata): ClientProblem[] {
  if (method !== SELF_SIGNED || jwksUri !== undefined) return [];
  const withCertificate = jwks?.keys.filter(({ x5c }) => x5c !== undefined) ?? [];
  if (withCertificate.length === 0)
    return [
      { field: 'jwks', problem: `${SELF_SIGNED} needs a certificate: x5c of a key of jwks, or of jwksUri.` },
    ];
  return withCertificate.every(isOfItsCertificate)
    ? []
    : [{ field: 'jwks', problem: 'The x5c of a key is no certificate, or that of another key.' }];
}

/** RFC 7517 §4.7: the key in the first certificate MUST match the one in the other members. */
function isOfItsCertificate(jwk: PublicJwk): boolean {
  const [der] = [jwk.x5c ?? []].flat();
  const x509 = der === undefined ? undefined : parseCertificate(Buffer.from(der, 'base64'));
  try {
    return x509?.publicKey.equals(createPublicKey({ key: { ...jwk }, format: 'jwk' })) === true;
  } catch {
    return false;
  }
}
