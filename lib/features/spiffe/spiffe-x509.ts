import { BY_CERTIFICATE, requireCertificate } from '../../core/client-authentication/client-certificates.js';
import { invalidClient } from '../../core/client-authentication/invalid-client.js';
import { type ClientAuthenticationMethod, readNamedClient } from '../../core/client-authentication/method.js';
import { switchedOn } from '../../settings/table/switched-on.js';
import { matchesSpiffeId, parseSpiffeId } from '../../shared/protocol/spiffe-id.js';
import { createX509SvidVerifier } from './x509-svid.js';

/**
 * The X.509-SVID of a program, with which it has opened the connection. The bundle of its trust domain says who may
 * have issued it, not what TLS or the system trusts.
 *
 * @see OAuth SPIFFE Client Authentication (draft 02) §3.2, RFC 8705
 */
export const spiffeX509: ClientAuthenticationMethod = {
  name: 'spiffe_x509',
  ...BY_CERTIFICATE,
  credential: 'svid',
  isOn: ({ spiffe, mutualTls }) => spiffe !== false && mutualTls !== false,
  create({ settings }) {
    const verifySvid = createX509SvidVerifier(switchedOn(settings.spiffe, 'spiffe'));
    return {
      read: readNamedClient,
      async verify({ clientId, spiffeId }, _credentials, request) {
        const presented = await verifySvid(requireCertificate(request), request.now);
        // rule 5: it is that of the client, and of this one where the client id is a SPIFFE ID
        const isNamed = parseSpiffeId(clientId) === undefined || clientId === presented;
        if (isNamed && spiffeId !== undefined && matchesSpiffeId(spiffeId, presented)) return true;
        throw invalidClient(`the URI of the certificate is ${presented}`, {
          reason: 'client_certificate_wrong',
          description: 'the SPIFFE ID of the X.509-SVID is not that of the client',
        });
      },
    };
  },
};
