import { invalidClient } from '../../core/client-authentication/invalid-client.js';
import type {
  ClientAuthenticationMethod,
  ClientAuthenticationRequest,
} from '../../core/client-authentication/method.js';
import { type ClientCertificate, isInTime } from '../../shared/crypto/client-certificate.js';

/**
 * What both certificate methods share: the request has the client id, and the certificate of the connection proves it.
 */
export const BY_CERTIFICATE = {
  credential: 'certificate',
  parameters: ['client_id'],
  isFallback: true,
  requiresExplicitRegistration: true,
  isOn: ({ mutualTls }) => Boolean(mutualTls),
} as const satisfies Partial<ClientAuthenticationMethod>;

/**
 * The certificate with which a client authenticates.
 *
 * @throws OAuthError invalid_client if the connection has none, or its dates do not fit
 */
export function requireCertificate({ certificate, now }: ClientAuthenticationRequest): ClientCertificate {
  if (certificate === undefined)
    throw invalidClient('no certificate: TLS has to ask for one, or a named proxy to forward it', {
      reason: 'client_certificate_missing',
    });
  if (!isInTime(certificate.x509, now))
    throw invalidClient('the certificate has expired, or is not valid yet', {
      reason: 'client_certificate_untrusted',
    });
  return certificate;
}
