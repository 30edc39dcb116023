import { invalidClient } from '../../core/client-authentication/invalid-client.js';
import { type ClientAuthenticationMethod, readNamedClient } from '../../core/client-authentication/method.js';
import { SUBJECT_KINDS, subjectsOf } from './certificate-subject.js';
import { BY_CERTIFICATE, requireCertificate } from './client-certificates.js';

/**
 * A certificate of a trusted authority with the registered subject of the client.
 *
 * @see RFC 8705 §2.1
 */
export const tlsClientAuth: ClientAuthenticationMethod = {
  name: 'tls_client_auth',
  ...BY_CERTIFICATE,
  create: () => ({
    read: readNamedClient,
    verify(client, _credentials, request) {
      const { x509, isTrusted } = requireCertificate(request);
      if (!isTrusted)
        throw invalidClient('the chain of the certificate was not validated', {
          reason: 'client_certificate_untrusted',
        });
      const [subject, ...more] = subjectsOf(client);
      const isOne = subject !== undefined && more.length === 0;
      return Promise.resolve(isOne && SUBJECT_KINDS[subject.field].isIn(x509, subject.value));
    },
  }),
};
