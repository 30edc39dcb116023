import { z } from 'zod';

import { privateJwk } from '../options/signing-key-options.js';
import { defaultsOf, objectOf, option, type SettingsOf } from '../table/option.js';
import { flag, listOf, union } from '../table/shapes.js';

const encryptionRows = {
  /**
   * Private JWKs of the host instead of keys made here: P-256 or X25519 (ECDH-ES), or RSA (RSA-OAEP-256). The first of
   * each kind is published, and all decrypt. To rotate, put the new one first once every process has it, and remove the
   * old one a day later. Needed if `signingKeys.keys` are yours. Default: none.
   */
  keys: option({
    shape: () => listOf(privateJwk(), 'a list of at least one private JWK', { isNeeded: true }),
    secret: true,
  }),
};

/** Without `keys`, they are made here. */
type EncryptionSettings = SettingsOf<typeof encryptionRows>;

const rows = {
  /** Whether every client has to sign its requests. Default: `false`. (RFC 9101 §10.5) */
  required: option({ shape: flag, default: false }),
  /**
   * Whether a client may also name an address of its own where its JWT is (`request_uri`). It must be registered
   * (`requestUris`), is fetched within the limits of `clientKeys`, for people who are logged in alone, and is never
   * cached. Default: `false`. (RFC 9101 §5.2, §10.4.1)
   */
  byReference: option({ shape: flag, default: false }),
  /**
   * Whether a client may encrypt its signed request to a key of this site, so that nobody can read it in addresses and
   * logs. Keys with `use: 'enc'` are published at `jwks_uri`; they are made, kept and rotated like those of
   * `signingKeys`. A client that is registered with `requestObjectEncryptionAlg` has to encrypt. `true`, or an object
   * with keys of yours. Default: `false`. (RFC 9101 §6.1)
   */
  encryption: option({
    shape: () =>
      union(
        flag(),
        objectOf(encryptionRows, 'an object'),
        'true, false or an object such as { keys: [a private JWK] }',
      ).transform((given): EncryptionSettings | false =>
        given === true ? defaultsOf(encryptionRows) : given,
      ),
    default: false,
  }),
};

/** The options with their defaults. */
export type SignedRequestSettings = SettingsOf<typeof rows>;

/** Requests that nobody can change (RFC 9101). */
export const signedRequestOptions = {
  /**
   * Lets clients sign their authorization requests with a key of their own (`jwks`, `jwksUri`): a JWT in `request`, at
   * the authorization endpoint or pushed. Parameters beside it are ignored. `true`, or an object such as
   * `{ required: true }`. A client that is registered with `requireSignedRequestObject` has to sign. It needs
   * `signingKeys` or a `clientSecretKey`, which sign addresses, unless the issuer is on loopback. Default: `false`.
   * (RFC 9101)
   */
  signedRequests: option({
    shape: () =>
      z
        .union(
          [z.boolean(), objectOf(rows, 'an object')],
          'true, false or an object such as { required: true }',
        )
        .transform((given): SignedRequestSettings | false => (given === true ? defaultsOf(rows) : given)),
    default: false,
  }),
};
