import type { RowsOf } from '../../settings/options.js';
import { certificateProxyRows } from '../../settings/options/certificate-proxy-options.js';
import { option, type OptionsOf, switchable } from '../../settings/table/option.js';
import * as z from '../../shared/schema.js';

const rows = {
  /** Who ends TLS, if that is not Node. Default: Node, by `requestCert` of its `https` server. (RFC 8705 §6.5) */
  proxy: certificateProxyRows.proxy,
  /**
   * The origin at which TLS asks for client certificates, if not the issuer's: `https://mtls.photos.example`. Browsers
   * show a dialog there. Default: none. (RFC 8705 §5)
   */
  endpointAliases: option({
    shape: () =>
      z
        .string('an origin')
        .refine(
          (value) => URL.canParse(value) && value.startsWith('https:') && new URL(value).origin === value,
          'an https: origin, such as https://mtls.photos.example',
        ),
  }),
};

/** Where TLS ends, and at which origin clients present certificates. */
export type MutualTlsOptions = OptionsOf<typeof rows>;

/** Clients with a certificate (RFC 8705). */
export const mutualTlsOptions = {
  /**
   * Lets clients authenticate with a certificate (`tls_client_auth`, `self_signed_tls_client_auth`), and bind their
   * tokens to it. `true`, or an object. Default: `false`. (RFC 8705)
   */
  mutualTls: switchable(rows, "{ endpointAliases: 'https://mtls.photos.example' }", { terms: ',' }),
};

declare module '../../settings/options.js' {
  interface FeatureRows extends RowsOf<typeof mutualTlsOptions> {}
}
