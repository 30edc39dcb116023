import { withClientKeys } from '../../core/client-authentication/client-keys.js';
import { type ClientAuthenticationMethod, readNamedClient } from '../../core/client-authentication/method.js';
import { parseCertificate, thumbprintOf } from '../../shared/crypto/client-certificate.js';
import { BY_CERTIFICATE, requireCertificate } from './client-certificates.js';

/**
 * One of the certificates that the client has registered, as `x5c` of its keys; any authority may have signed it.
 *
 * @see RFC 8705 §2.2
 */
export const selfSignedTlsClientAuth: ClientAuthenticationMethod = {
  name: 'self_signed_tls_client_auth',
  ...BY_CERTIFICATE,
  create: ({ clientKeys }) => ({
    read: readNamedClient,
    async verify(client, _credentials, request) {
      const { thumbprint } = requireCertificate(request);
      const isPresented = (der: string) => {
        const x509 = parseCertificate(Buffer.from(der, 'base64'));
        return x509 !== undefined && thumbprintOf(x509.raw) === thumbprint;
      };
      const matches = await withClientKeys(
        clientKeys,
        client,
        ({ certificates }) => Promise.resolve(certificates.some(isPresented) || undefined),
        request.getCaller,
      );
      return matches === true;
    },
  }),
};
