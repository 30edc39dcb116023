import { certificateProblems } from '../clients/certificate-problems.js';
import type { ClientMetadata } from '../clients/client.js';
import type { ClientField } from '../clients/client-field.js';
import { flag, shortText } from '../clients/field-shapes.js';
import { createCertificateReader } from '../http/client-certificate.js';
import type { Feature } from '../server/feature.js';

type Row = Omit<ClientField, 'name' | 'shape' | 'stored'>;

// with a type of its own: what is inferred would name types of zod in the declarations
const clientFields: readonly ClientField[] = [
  {
    ...subject('tlsClientAuthSubjectDn', 'subject_dn', 'dn', 'the subject of its certificate (RFC 4514)'),
    findProblems: certificateProblems,
  },
  subject('tlsClientAuthSanDns', 'san_dns', 'dns', 'the name of a host in its certificate'),
  subject('tlsClientAuthSanUri', 'san_uri', 'uri', 'the URI in its certificate'),
  subject('tlsClientAuthSanIp', 'san_ip', 'ip', 'the IP address in its certificate'),
  subject('tlsClientAuthSanEmail', 'san_email', 'email', 'the e-mail address in its certificate'),
  {
    name: 'tlsClientCertificateBoundAccessTokens' satisfies keyof ClientMetadata,
    shape: flag,
    stored: { type: Boolean },
    wire: { name: 'tls_client_certificate_bound_access_tokens' },
    flag: {
      flags: '--tls-bound',
      description: 'its tokens are bound to its certificate, each of them (RFC 8705)',
      negated: { flags: '--no-tls-bound', description: 'they are not' },
    },
    printed: {
      label: 'bound to certificate',
      format: (isBound: boolean | undefined) => (isBound ? 'yes' : undefined),
    },
  },
];

/** One of the subjects by which a client of `tls_client_auth` is known (RFC 8705 §2.1.2). */
function subject(name: keyof ClientMetadata, wire: string, short: string, description: string): ClientField {
  const row: Row = {
    wire: { name: `tls_client_auth_${wire}` },
    flag: { flags: `--tls-${short} <${short}>`, description },
    printed: { label: `certificate ${short.toUpperCase()}` },
  };
  return { name, shape: shortText, stored: { type: String }, ...row };
}

/** Clients that show a certificate, to say who they are or to own their tokens. @see RFC 8705 */
export const mutualTls = {
  name: 'mutualTls',
  isOn: (settings) => settings.mutualTls !== false,
  createCertificateReader({ settings: { mutualTls: options } }) {
    if (options === false) throw new Error('mutual TLS is off');
    return createCertificateReader(options);
  },
  // RFC 8705 §3.3
  metadata: () => ({ tls_client_certificate_bound_access_tokens: true }),
  clientFields,
} satisfies Feature;
