import type { RowsOf } from '../../settings/options.js';
import { privateJwk } from '../../settings/options/signing-key-options.js';
import { option, type OptionsOf, switchable } from '../../settings/table/option.js';
import { flag, listOf } from '../../settings/table/shapes.js';

const encryptionRows = {
  /**
   * Your own private JWKs instead of the server's: P-256 or X25519 (ECDH-ES), or RSA (RSA-OAEP-256). The first of each
   * kind is published; all decrypt. To rotate, add the new key at the end, later put it first, and remove the old one a
   * day later. Needed with `signingKeys.keys`. Default: none.
   */
  keys: option({
    shape: () => listOf(privateJwk(), 'a list of at least one private JWK', { isNeeded: true }),
    secret: true,
  }),
};

const rows = {
  /** Whether every client has to sign its requests. Default: `false`. (RFC 9101 §10.5) */
  required: option({ shape: flag, default: false }),
  /**
   * Whether a client may send the URL of its JWT (`request_uri`), one of its `requestUris`. It is fetched for logged-in
   * users only. Default: `false`. (RFC 9101 §5.2, §10.4.1)
   */
  byReference: option({ shape: flag, default: false }),
  /**
   * Whether a client may encrypt its signed request to a key of this site, so that nobody can read it in logs. `true`,
   * or an object. Default: `false`. (RFC 9101 §6.1)
   */
  encryption: switchable(encryptionRows, '{ keys: [a private JWK] }', { terms: '' }),
};

/** How clients sign their requests. */
export type SignedRequestOptions = OptionsOf<typeof rows>;

/** Requests that nobody can change (RFC 9101). */
export const signedRequestOptions = {
  /**
   * Lets clients sign their authorization requests: a JWT in `request`, beside which parameters are ignored. `true`, or
   * an object. It needs `signingKeys` or `clientAuthentication.secretKey`. Default: `false`. (RFC 9101)
   */
  signedRequests: switchable(rows, '{ required: true }', { terms: '' }),
};

declare module '../../settings/options.js' {
  interface FeatureRows extends RowsOf<typeof signedRequestOptions> {}
}
