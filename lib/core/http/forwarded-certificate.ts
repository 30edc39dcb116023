import type { X509Certificate } from 'node:crypto';

import type { CertificateHeaderFormat } from '../../settings/options/certificate-proxy-options.js';
import { parseCertificate } from '../../shared/crypto/client-certificate.js';

type Read = (value: string) => X509Certificate | undefined;

/** Reads a certificate in the formats in which proxies put it into a header; undefined if it is in another format. */
export const CERTIFICATE_FORMATS: Readonly<Record<CertificateHeaderFormat, Read>> = {
  rfc9440: readByteSequence,
  nginx: readEscapedPem,
  envoy: readForwardedElement,
};

/** RFC 9440 §2.1: a byte sequence of RFC 8941 §3.3.5, `:base64:`, with the DER. */
function readByteSequence(value: string): X509Certificate | undefined {
  const [, encoded] = /^:([A-Za-z0-9+/]+={0,2}):$/.exec(value.trim()) ?? [];
  return encoded === undefined ? undefined : parseCertificate(Buffer.from(encoded, 'base64'));
}

/** nginx `$ssl_client_escaped_cert`: the PEM, percent-encoded. */
function readEscapedPem(value: string): X509Certificate | undefined {
  try {
    const pem = decodeURIComponent(value);
    // exactly one, and nothing around it: which of two counts must not be a guess
    return /^-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----\s*$/.test(pem)
      ? parseCertificate(pem)
      : undefined;
  } catch {
    return undefined;
  }
}

/** An element of Envoy's header: members with a name and a value, which may be quoted. */
const ELEMENT = /^(?:[A-Za-z]+=(?:"(?:[^"\\]|\\.)*"|[^",;]*)(?:;|$))+$/;
const MEMBER = /([A-Za-z]+)=("(?:[^"\\]|\\.)*"|[^",;]*)(?:;|$)/g;

/**
 * Envoy `x-forwarded-client-cert`: `Hash=…;Cert="…"`, percent-encoded PEM. If there are two elements, somebody in front
 * of the proxy sent one, so there must be only one: `forward_client_cert_details: SANITIZE_SET`.
 */
function readForwardedElement(value: string): X509Certificate | undefined {
  if (!ELEMENT.test(value)) return undefined;
  const certificates = [...value.matchAll(MEMBER)].flatMap(([, name = '', text = '']) =>
    name.toLowerCase() === 'cert' ? [text.replace(/^"|"$/g, '').replace(/\\(.)/g, '$1')] : [],
  );
  const [certificate, ...more] = certificates;
  return certificate === undefined || more.length > 0 ? undefined : readEscapedPem(certificate);
}
