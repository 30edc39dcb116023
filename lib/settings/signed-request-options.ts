import { z } from 'zod';

import { defaultsOf, objectOf, option, type SettingsOf } from './option.js';
import { either, flag, listOf } from './shapes.js';
import { privateJwk } from './signing-key-options.js';

const encryptionRows = {
  /**
   * Private JWKs of the host instead of keys made here: P-256 or X25519 (ECDH-ES), or RSA (RSA-OAEP-256). Of each kind
   * the first is published, all decrypt: to rotate, put the new one first when every process has it, and take the old
   * one out a day later. Needed where `signingKeys.keys` are yours. Default: none.
   */
  keys: option({
    shape: () => listOf(privateJwk(), 'a list of at least one private JWK', { isNeeded: true }),
  }),
};

/** Without keys they are made here. */
type EncryptionSettings = SettingsOf<typeof encryptionRows>;

const rows = {
  /** Whether no other requests are taken, of no client. Default: `false`. (RFC 9101 §10.5) */
  required: option({ shape: flag, default: false }),
  /**
   * Whether a client may also name an address of its own where its JWT is (`request_uri`): one that it is registered
   * with (`requestUris`), fetched within the limits of `clientKeys` and never cached. Default: `false`. (RFC 9101 §5.2)
   */
  byReference: option({ shape: flag, default: false }),
  /**
   * Whether a client may encrypt what it has signed to a key of this site, so that nobody reads it in addresses and
   * logs: keys with `use: 'enc'` are published at `jwks_uri`, made, kept and rotated like those of `signingKeys`. A
   * client that is registered with `requestObjectEncryptionAlg` has to. `true`, or an object with keys of yours.
   * Default: `false`. (RFC 9101 §6.1)
   */
  encryption: option({
    shape: () =>
      either(
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
   * the authorization endpoint or pushed, and nothing beside it counts. `true`, or an object such as
   * `{ required: true }`. A client that is registered with `requireSignedRequestObject` may ask in no other way. On
   * another host than loopback it needs `signingKeys` or a `clientSecretKey`, by which addresses are signed. Default:
   * `false`. (RFC 9101)
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
