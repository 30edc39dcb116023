import { type ClientCertificate, isInTime } from '../crypto/client-certificate.js';
import { invalidClient } from './invalid-client.js';
import type { ClientAuthenticationRequest } from './method.js';

/**
 * The certificate that a client authenticates by.
 *
 * @throws OAuthError invalid_client if there is none, or it is not valid at the moment
 */
export function requireCertificate({ certificate }: ClientAuthenticationRequest): ClientCertificate {
  if (certificate === undefined)
    throw invalidClient('no certificate: TLS has to ask for one, or a named proxy to forward it', {
      reason: 'client_certificate_missing',
    });
  if (!isInTime(certificate.x509, new Date()))
    throw invalidClient('the certificate has expired, or is not valid yet', {
      reason: 'client_certificate_untrusted',
    });
  return certificate;
}
