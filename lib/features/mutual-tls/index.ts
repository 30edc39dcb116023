import {
  type FieldRow,
  fieldsOf,
  flagClientField,
  type MetadataOf,
  textClientField,
} from '../../core/clients/client-field.js';
import { requiresFapi } from '../../core/clients/fapi-profile.js';
import { shortText } from '../../core/clients/validation/schemas.js';
import { BOUND_TO_CERTIFICATES } from '../../core/guard/protected-resource.js';
import { createCertificateReader } from '../../core/http/client-certificate.js';
import type { Feature } from '../../server/server.js';
import { aliasOf } from '../../settings/endpoint-urls.js';
import { requireEnabled } from '../../settings/table/require-enabled.js';
import { invalidRequest } from '../../shared/errors.js';
import { certificateProblems } from './certificate-problems.js';
import { mutualTlsOptions } from './options.js';

/** RFC 8705 §5: the endpoints to which clients send requests directly. */
const DIRECT_ENDPOINTS = [
  'token_endpoint',
  'revocation_endpoint',
  'introspection_endpoint',
  'device_authorization_endpoint',
  'pushed_authorization_request_endpoint',
  'registration_endpoint',
  // userinfo takes tokens, which may be bound to the certificate
  'userinfo_endpoint',
];

const clientFieldRows = {
  /**
   * For tls_client_auth, the subject of its certificate as in RFC 4514: `CN=shop,O=Print,C=DE`. Give one of these five
   * fields. Needs `mutualTls`. (RFC 8705 §2.1.2)
   */
  tlsClientAuthSubjectDn: subject('subject_dn', 'dn', certificateProblems),
  /** Instead of the subject, a DNS name of its certificate. */
  tlsClientAuthSanDns: subject('san_dns', 'dns'),
  /** Instead of the subject, a URI of its certificate. */
  tlsClientAuthSanUri: subject('san_uri', 'uri'),
  /** Instead of the subject, an IP address of its certificate. */
  tlsClientAuthSanIp: subject('san_ip', 'ip'),
  /** Instead of the subject, an e-mail address of its certificate. */
  tlsClientAuthSanEmail: subject('san_email', 'email'),
  /** Each of its tokens is bound to its certificate. Needs `mutualTls`. Default: `false`. (RFC 8705 §3.4) */
  tlsClientCertificateBoundAccessTokens: flagClientField({
    requiresReapproval: true,
    wire: { name: 'tls_client_certificate_bound_access_tokens' },
    printed: { label: 'bound to certificate' },
  }),
};

declare module '../../core/clients/client.js' {
  interface ClientMetadata extends MetadataOf<typeof clientFieldRows> {}
}

/** A certificate subject that identifies a client of `tls_client_auth` (RFC 8705 §2.1.2). */
function subject(
  wire: string,
  short: string,
  findProblems?: FieldRow<string>['findProblems'],
): FieldRow<string> {
  return textClientField({
    shape: shortText,
    requiresReapproval: true,
    impliesMethod: 'tls_client_auth',
    findProblems,
    wire: { name: `tls_client_auth_${wire}` },
    printed: { label: `certificate ${short.toUpperCase()}` },
  });
}

/** Clients whose certificate authenticates them or binds their tokens. @see RFC 8705 */
export const mutualTls = {
  name: 'mutual-tls',
  isOn: (settings) => settings.mutualTls !== false,
  options: mutualTlsOptions,
  createCertificateReader: ({ settings }) =>
    createCertificateReader(requireEnabled(settings.mutualTls, 'mutualTls')),
  // RFC 8705 §3.4: a client with bound tokens gets no unbound token if it presents no certificate
  createBinding:
    (settings) =>
    ({ client, certificate, dpopProof }) => {
      const isRequired = client.tlsClientCertificateBoundAccessTokens === true;
      if (isRequired && certificate === undefined)
        throw invalidRequest(
          'tokens of this client are bound to its certificate',
          'client_certificate_missing',
          { detail: 'no certificate: TLS has to ask for one, or a named proxy to forward it' },
        );
      // if FAPI requires bound tokens and the request has no DPoP proof, they are bound to the certificate
      const isBound = isRequired || (dpopProof === undefined && requiresFapi(settings, client));
      return isBound && certificate ? { x5tS256: certificate.thumbprint } : undefined;
    },
  resourceMetadata: () => BOUND_TO_CERTIFICATES,
  metadata(settings, ofEndpoints) {
    // RFC 8705 §5: the addresses of the enabled endpoints for clients with a certificate, if another origin serves them
    const aliases = DIRECT_ENDPOINTS.flatMap((name) => {
      const url = ofEndpoints[name];
      const alias = typeof url === 'string' ? aliasOf(settings, url) : undefined;
      return alias === undefined ? [] : [[name, alias] as const];
    });
    const endpointAliases =
      aliases.length === 0 ? {} : { mtls_endpoint_aliases: Object.fromEntries(aliases) };
    // RFC 8705 §3.3
    return { tls_client_certificate_bound_access_tokens: true, ...endpointAliases };
  },
  clientFields: fieldsOf(clientFieldRows),
} satisfies Feature;
