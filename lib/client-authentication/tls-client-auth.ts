import { findSubject, isSubjectOf } from '../clients/certificate-subject.js';
import { requireCertificate } from './client-certificates.js';
import { invalidClient } from './invalid-client.js';
import type { ClientAuthenticationMethod } from './method.js';

/**
 * A certificate of an authority that the site trusts, with the subject that the client is registered with.
 *
 * @see RFC 8705 §2.1
 */
export const tlsClientAuth: ClientAuthenticationMethod = {
  name: 'tls_client_auth',
  parameters: ['client_id'],
  isFallback: true,
  isByName: true,
  isOn: ({ mutualTls }) => mutualTls !== false,
  create: () => ({
    read: ({ parameters: { client_id: clientId } }) => (clientId === undefined ? null : { clientId }),
    verify(client, _credentials, request) {
      const { x509, isTrusted } = requireCertificate(request);
      if (!isTrusted)
        throw invalidClient('the chain of the certificate was not validated', {
          reason: 'client_certificate_untrusted',
        });
      const subject = findSubject(client);
      return Promise.resolve(subject !== undefined && isSubjectOf(x509, subject));
    },
  }),
};
