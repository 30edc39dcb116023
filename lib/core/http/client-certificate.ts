import type { X509Certificate } from 'node:crypto';
import { BlockList, isIPv6 } from 'node:net';
import { TLSSocket } from 'node:tls';

import type { Request } from 'express';

import type {
  CertificateHeaderFormat,
  CertificateProxySettings,
  CertificateSource,
} from '../../settings/options/certificate-proxy-options.js';
import {
  type ClientCertificate,
  clientCertificateOf,
  parseCertificate,
} from '../../shared/crypto/client-certificate.js';
import { invalidRequest } from '../../shared/errors.js';

/**
 * Reads the client certificate of the connection; undefined if the client presented none.
 *
 * @throws OAuthError invalid_request if the header of a proxy cannot be read
 */
export type ReadClientCertificate = (req: Request) => ClientCertificate | undefined;

/** Characters: twice the size of a percent-encoded certificate with a key of 8192 bits. */
const MAX_LENGTH = 10_240;
/** Names of networks, as in Express's `trust proxy`. */
const NETWORKS: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/**
 * Reads the certificate from Node's TLS, or from the header of a proxy that terminates TLS. The header is trusted
 * only on a connection from the configured proxies; anybody else's header is ignored. The proxy's certificate is
 * never used for a request through the proxy.
 *
 * @see RFC 8705 §6.5, RFC 9440 §2.4, §4
 */
export function createCertificateReader({ proxy }: CertificateSource): ReadClientCertificate {
  if (proxy === undefined) return (req) => readOwn(req.socket);
  const proxies = new BlockList();
  for (const network of proxy.from.flatMap((name) => NETWORKS[name] ?? [name])) {
    const [address = '', prefix] = network.split('/');
    if (prefix === undefined) proxies.addAddress(address, familyOf(address));
    else proxies.addSubnet(address, Number(prefix), familyOf(address));
  }
  return (req) => {
    // a closed connection, or a connection over a Unix socket, has no address
    const { remoteAddress: address } = req.socket;
    const isProxy = address !== undefined && proxies.check(address, familyOf(address));
    return isProxy ? readForwarded(req, proxy) : readOwn(req.socket);
  };
}

function readOwn(socket: Request['socket']): ClientCertificate | undefined {
  const x509 = socket instanceof TLSSocket ? socket.getPeerX509Certificate() : undefined;
  return x509 && clientCertificateOf(x509, (socket as TLSSocket).authorized);
}

function readForwarded(
  req: Request,
  { header, format, verified }: CertificateProxySettings,
): ClientCertificate | undefined {
  const value = req.get(header) ?? '';
  if (value === '') return undefined;
  const x509 = value.length > MAX_LENGTH ? undefined : CERTIFICATE_FORMATS[format](value);
  if (x509 === undefined)
    throw invalidRequest('the client certificate cannot be read', 'client_certificate_malformed', {
      detail: `the header ${header} is no certificate in the format ${format}`,
    });
  // nginx $ssl_client_verify
  const isTrusted = typeof verified === 'string' ? req.get(verified) === 'SUCCESS' : verified;
  return clientCertificateOf(x509, isTrusted);
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4';
}

/** An element of Envoy's header: members with a name and a value, which may be quoted. */
const ELEMENT = /^(?:[A-Za-z]+=(?:"(?:[^"\\]|\\.)*"|[^",;]*)(?:;|$))+$/;
const MEMBER = /([A-Za-z]+)=("(?:[^"\\]|\\.)*"|[^",;]*)(?:;|$)/g;

/** Parses a certificate in each format in which proxies put it into a header; undefined if the format is another. */
export const CERTIFICATE_FORMATS: Readonly<
  Record<CertificateHeaderFormat, (value: string) => X509Certificate | undefined>
> = {
  /** RFC 9440 §2.1: a byte sequence of RFC 8941 §3.3.5, `:base64:`, with the DER. */
  rfc9440(value) {
    const [, encoded] = /^:([A-Za-z0-9+/]+={0,2}):$/.exec(value.trim()) ?? [];
    return encoded === undefined ? undefined : parseCertificate(Buffer.from(encoded, 'base64'));
  },
  /** nginx `$ssl_client_escaped_cert`: the PEM, percent-encoded. */
  nginx: readEscapedPem,
  /**
   * Envoy `x-forwarded-client-cert`: `Hash=…;Cert="…"`, percent-encoded PEM. If there are two elements, somebody in front
   * of the proxy sent one, so there must be only one: `forward_client_cert_details: SANITIZE_SET`.
   */
  envoy(value) {
    if (!ELEMENT.test(value)) return undefined;
    const [certificate, ...more] = [...value.matchAll(MEMBER)].flatMap(([, name = '', text = '']) =>
      name.toLowerCase() === 'cert' ? [text.replace(/^"|"$/g, '').replace(/\\(.)/g, '$1')] : [],
    );
    return certificate === undefined || more.length > 0 ? undefined : readEscapedPem(certificate);
  },
};

function readEscapedPem(value: string): X509Certificate | undefined {
  try {
    const pem = decodeURIComponent(value);
    // exactly one PEM block, and nothing around it: which of two counts must not be a guess
    return /^-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----\s*$/.test(pem)
      ? parseCertificate(pem)
      : undefined;
  } catch {
    return undefined;
  }
}
