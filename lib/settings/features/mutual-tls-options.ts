import { isIP } from 'node:net';

import * as z from 'zod';

import { defaultsOf, objectOf, option, type OptionsOf, required, type SettingsOf } from '../table/option.js';
import { flag, listOf, oneOf, textLike, union } from '../table/shapes.js';

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
        z.string().refine(isNetwork, 'an address, a network, loopback, linklocal or uniquelocal'),
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
      union(
        flag(),
        headerName('the name of a header'),
        'true, false, or the name of a header, such as X-SSL-Client-Verify',
      ),
    default: false,
  }),
};

export type CertificateProxySettings = SettingsOf<typeof proxyRows>;
export type CertificateHeaderFormat = CertificateProxySettings['format'];

const PROXY_TERMS = 'an object of header, format, from and verified';

const rows = {
  /** Who ends TLS, if that is not Node. Default: Node, by `requestCert` of its `https` server. (RFC 8705 §6.5) */
  proxy: option({ shape: () => objectOf(proxyRows, PROXY_TERMS) }),
  /**
   * The origin at which TLS asks for client certificates, if not the issuer's: `https://mtls.photos.example`. Browsers
   * show a dialog there. Default: none. (RFC 8705 §5)
   */
  endpointAliases: option({
    shape: () =>
      z.string('an origin').refine(isHttpsOrigin, 'an https: origin, such as https://mtls.photos.example'),
  }),
};

/** How clients show certificates. */
export type MutualTlsOptions = OptionsOf<typeof rows>;

/** The options with their defaults. */
export type MutualTlsSettings = SettingsOf<typeof rows>;

/** What a guard in a process of its own needs to know. */
const guardRows = {
  /** Who ends TLS, if that is not Node. Default: Node, by `requestCert` of its `https` server. (RFC 8705 §6.5) */
  proxy: option({ shape: () => objectOf(proxyRows, PROXY_TERMS) }),
};

function switchable<const Rows extends typeof rows | typeof guardRows>(members: Rows, example: string) {
  return z
    .union([z.boolean(), objectOf(members, 'an object')], `true, false or an object, such as { ${example} }`)
    .transform((given): MutualTlsSettings | false =>
      given === true ? (defaultsOf(rows) as MutualTlsSettings) : (given as MutualTlsSettings | false),
    );
}

/** Clients that show a certificate (RFC 8705). */
export const mutualTlsOptions = {
  /**
   * Lets clients authenticate with a certificate (`tls_client_auth`, `self_signed_tls_client_auth`), and bind their
   * tokens to it. `true`, or an object. Default: `false`. (RFC 8705)
   */
  mutualTls: option({
    members: rows,
    shape: () => switchable(rows, "endpointAliases: 'https://mtls.photos.example'"),
    default: false,
  }),
};

export const guardMutualTlsOptions = {
  /**
   * Accepts tokens that are bound to a certificate, on a connection with it; otherwise they are refused. `true`, or an
   * object with the `proxy` that ends TLS. Default: `false`. (RFC 8705 §3)
   */
  mutualTls: option({ shape: () => switchable(guardRows, 'proxy'), default: false }),
};

function isNetwork(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true;
  const [address = '', prefix, ...more] = text.split('/');
  const family = isIP(address);
  if (family === 0 || more.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128));
}

function isHttpsOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).protocol === 'https:' && new URL(text).origin === text;
}
