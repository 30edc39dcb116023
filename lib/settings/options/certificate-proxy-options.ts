import { isIP } from 'node:net';

import * as z from '../../shared/schema.js';
import { objectOf, option, required, type SettingsOf } from '../table/option.js';
import { flag, listOf, oneOf, textLike } from '../table/shapes.js';

const headerName = (message: string) => textLike(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, message);

const proxyRows = {
  /**
   * The header in which the proxy sends the client's certificate: `Client-Cert`. The proxy must remove this header from
   * what clients send.
   */
  header: required({ shape: () => headerName('the name of a header, such as Client-Cert') }),
  /**
   * `rfc9440` (`:base64:`), `nginx` (`$ssl_client_escaped_cert`) or `envoy` (`x-forwarded-client-cert`, with
   * `SANITIZE_SET` and the certificate). Default: `rfc9440`.
   */
  format: option({ shape: () => oneOf(['rfc9440', 'nginx', 'envoy']), default: 'rfc9440' }),
  /**
   * Addresses or networks of the proxies: `['10.0.0.7', '10.1.0.0/16', 'loopback']`. From others the header is ignored.
   */
  from: required({
    shape: () =>
      listOf(
        z.string(NETWORK).refine(isNetwork, NETWORK),
        "a list of addresses or networks, such as ['10.0.0.7', '10.1.0.0/16', 'loopback']",
        { isNeeded: true },
      ),
  }),
  /**
   * Whether the proxy has validated the chain, which `tls_client_auth` needs: `true` if it forwards no other
   * certificates, or the name of the header with nginx's `$ssl_client_verify`. Default: `false`.
   */
  verified: option({
    shape: () =>
      z.union(
        [flag(), headerName('the name of a header')],
        'true, false, or the name of a header, such as X-SSL-Client-Verify',
      ),
    default: false,
  }),
};

export type CertificateProxySettings = SettingsOf<typeof proxyRows>;
export type CertificateHeaderFormat = CertificateProxySettings['format'];

const NETWORK = 'an address, a network, loopback, linklocal or uniquelocal';

export const certificateProxyRows = {
  /** Who ends TLS, if that is not Node. Default: Node, by `requestCert` of its `https` server. (RFC 8705 §6.5) */
  proxy: option({ shape: () => objectOf(proxyRows, 'an object of header, format, from and verified') }),
};

/** Where TLS ends. */
export type CertificateSource = SettingsOf<typeof certificateProxyRows>;

function isNetwork(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true;
  const [address = '', prefix, ...more] = text.split('/');
  const family = isIP(address);
  if (family === 0 || more.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128));
}
