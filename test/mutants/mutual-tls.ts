import { type Mutant, mutantsOf } from './mutant.js';

const AUTHENTICATION = ['rfc/rfc8705/client-authentication.test.ts'];
const BOUND = ['rfc/rfc8705/bound-tokens.test.ts'];
const FORWARDED = ['rfc/rfc8705/forwarded-certificates.test.ts'];

/** Clients with certificates (RFC 8705). */
export const MUTUAL_TLS: readonly Mutant[] = [
  ...mutantsOf('core/guard/admission.ts', BOUND, [
    {
      breaks: 'a proof may name the address for clients with certificates (RFC 8705 §5)',
      from: '...[aliasOrigin ?? []].flat()',
      to: '',
    },
  ]),
  ...mutantsOf('core/grants/tokens/token-issuer.ts', BOUND, [
    {
      breaks: 'a client that gets bound tokens alone gets no others past the token endpoint (RFC 8705 §3.4)',
      from: 'client.tlsClientCertificateBoundAccessTokens === true &&',
      to: 'client.tlsClientCertificateBoundAccessTokens === null &&',
    },
  ]),
  ...mutantsOf('features/mutual-tls/tls-client-auth.ts', AUTHENTICATION, [
    {
      breaks: 'the chain of a certificate is validated (RFC 8705 §2.1)',
      from: 'if (!isTrusted)',
      to: 'if (isTrusted === undefined)',
    },
    {
      breaks: 'a certificate has the subject of the client (RFC 8705 §2.1)',
      from: 'subject !== undefined && isSubjectOf(x509, subject)',
      to: 'subject !== undefined || isSubjectOf(x509, subject!)',
    },
  ]),
  ...mutantsOf('core/client-authentication/client-certificates.ts', AUTHENTICATION, [
    {
      breaks: 'a certificate that has expired proves nothing',
      from: 'if (!isInTime(certificate.x509, now))',
      to: 'if (!isInTime(certificate.x509, new Date(1_590_000_000_000)) && certificate.thumbprint === "")',
    },
  ]),
  ...mutantsOf('features/mutual-tls/self-signed-tls-client-auth.ts', AUTHENTICATION, [
    {
      breaks: 'a certificate is one that the client has registered (RFC 8705 §2.2)',
      from: 'thumbprintOf(x509.raw) === thumbprint;',
      to: "thumbprint !== '';",
    },
  ]),
  ...mutantsOf('shared/protocol/distinguished-name.ts', AUTHENTICATION, [
    {
      breaks: 'names are compared level by level (RFC 4517 §4.2.15)',
      from: 'JSON.stringify(name.map((each) => [...each].sort()))',
      to: 'JSON.stringify(name.flat().sort())',
    },
  ]),
  ...mutantsOf('core/clients/validation/certificate-subject.ts', AUTHENTICATION, [
    {
      breaks: 'a host is that of the certificate, and none that its wildcard covers',
      from: 'wildcards: false',
      to: 'wildcards: true',
    },
  ]),
  ...mutantsOf('core/guard/token-checks.ts', BOUND, [
    {
      breaks: 'a bound token comes with a certificate (RFC 8705 §3)',
      from: 'if (thumbprint === undefined) throw',
      to: 'if (thumbprint === undefined) return;\n  if (thumbprint === null) throw',
    },
    {
      breaks: 'a bound token comes with its certificate (RFC 8705 §3)',
      from: "if (thumbprint !== cnf['x5t#S256']) throw",
      to: "if (thumbprint === '') throw",
    },
  ]),
  ...mutantsOf('core/proof-of-possession/binding.ts', BOUND, [
    {
      breaks: 'a refresh token of a public client is used with its certificate (RFC 8705 §4)',
      from: '(bound.x5tS256 === undefined || bound.x5tS256 === proof?.x5tS256)',
      to: '(bound.x5tS256 === undefined || proof !== null)',
    },
  ]),
  ...mutantsOf('features/mutual-tls/index.ts', BOUND, [
    {
      breaks: 'who is registered for bound tokens gets no others (RFC 8705 §3.4)',
      from: '  if (certificate === undefined)\n    throw',
      to: '  if (certificate === undefined) return undefined;\n  if (certificate === null)\n    throw',
    },
  ]),
  ...mutantsOf('core/http/client-certificate.ts', FORWARDED, [
    {
      breaks: 'the header of a certificate is believed of named proxies alone (RFC 9440 §4)',
      from: 'isProxy(req.socket.remoteAddress) ?',
      to: 'isProxy(req.socket.remoteAddress) || req.get(proxy.header) !== undefined ?',
    },
    {
      breaks: 'a proxy says whether it has validated the chain',
      from: "req.get(verified) === 'SUCCESS'",
      to: 'req.get(verified) !== undefined',
    },
  ]),
  ...mutantsOf('core/http/forwarded-certificate.ts', FORWARDED, [
    {
      breaks: 'of two elements of Envoy none is believed',
      from: 'if (!ELEMENT.test(value)) return undefined;',
      to: '',
    },
  ]),
];
