import { BlockList, isIPv6 } from 'node:net';
import { TLSSocket } from 'node:tls';

import type { Request } from 'express';

import type {
  CertificateProxySettings,
  CertificateSource,
} from '../../settings/options/certificate-proxy-options.js';
import { type ClientCertificate, clientCertificateOf } from '../../shared/crypto/client-certificate.js';
import { OAuthError } from '../../shared/errors.js';
import { CERTIFICATE_FORMATS } from './forwarded-certificate.js';

/**
 * The certificate with which a client has opened its connection, undefined if it has shown none.
 *
 * @throws OAuthError invalid_request if the header of a proxy cannot be read
 */
export type ReadClientCertificate = (req: Request) => ClientCertificate | undefined;

/** Characters: twice what a certificate with a key of 8192 bits takes, percent-encoded. */
const MAX_LENGTH = 10_240;
/** Names of networks, as in Express's `trust proxy`. */
const NETWORKS: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/**
 * Reads it from Node's own TLS, or from the header of a proxy that terminates TLS. The header is believed only from the
 * named proxies, by the address of the connection itself; from anybody else it is a header like any other. For a
 * request through a proxy, the proxy's own certificate is never used.
 *
 * @see RFC 8705 §6.5, RFC 9440 §2.4, §4
 */
export function createCertificateReader({ proxy }: CertificateSource): ReadClientCertificate {
  if (proxy === undefined) return (req) => readOwn(req.socket);
  const isProxy = inNetworks(proxy.from);
  return (req) => (isProxy(req.socket.remoteAddress) ? readForwarded(req, proxy) : readOwn(req.socket));
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
    throw new OAuthError('invalid_request', 'the client certificate cannot be read', {
      reason: 'client_certificate_malformed',
      detail: `the header ${header} is no certificate in the format ${format}`,
    });
  // nginx $ssl_client_verify
  const isTrusted = typeof verified === 'string' ? req.get(verified) === 'SUCCESS' : verified;
  return clientCertificateOf(x509, isTrusted);
}

function inNetworks(names: readonly string[]): (address: string | undefined) => boolean {
  const list = new BlockList();
  for (const network of names.flatMap((name) => NETWORKS[name] ?? [name])) {
    const [address = '', prefix] = network.split('/');
    const family = familyOf(address);
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  // a connection that has ended, or one over a Unix socket, has no address
  return (address) => address !== undefined && list.check(address, familyOf(address));
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4';
}
