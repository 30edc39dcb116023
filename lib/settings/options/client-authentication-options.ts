import { isLoopbackHost } from '../../shared/protocol/redirect-uri.js';
import * as z from '../../shared/schema.js';
import { defaultsOf, group, objectOf, option, type OptionsOf, type SettingsOf } from '../table/option.js';
import { secretText } from '../table/secret.js';
import { bytes, flag, listOf, milliseconds, oneOf, seconds } from '../table/shapes.js';

const DAY = 86_400;

const clientAssertionOptions = {
  /**
   * What `aud` may be: the issuer, or the token endpoint's URL as well (`issuer_or_token_endpoint`), for old clients.
   * With the latter, another server can trick a client into making an assertion for this one. Default: `issuer`.
   */
  audience: option({ shape: () => oneOf(['issuer', 'issuer_or_token_endpoint']), default: 'issuer' }),
  /** Seconds that `exp` may lie ahead. Default: `600`. */
  maxTtl: option({
    shape: () => seconds({ max: DAY, because: ': the id of each assertion is kept as long', example: 600 }),
    default: 600,
  }),
};

/** What is demanded of the JWTs with which clients authenticate. */
export type ClientAssertionOptions = OptionsOf<typeof clientAssertionOptions>;

const clientKeyOptions = {
  /**
   * Allows a `jwksUri` and a `logoUri` in the server's own network, and `http:` on loopback; clients that nobody of the
   * site has checked get only loopback, and only if the issuer is on loopback. Default: `false`.
   */
  allowPrivateAddresses: option({ shape: flag, default: false }),
  /** Milliseconds for a whole fetch. Default: `3000`. */
  timeout: option({ shape: () => milliseconds({ max: 60_000, example: 3000 }), default: 3000 }),
  /** Most bytes of the answer. Default: `65536`. */
  maxBytes: option({ shape: () => bytes({ max: 1_048_576, example: 65_536 }), default: 65_536 }),
  /** Seconds that fetched keys are used, also if they are removed. Default: `600`. */
  cacheTtl: option({ shape: () => seconds({ example: 600 }), default: 600 }),
  /** Seconds between two fetches for an unknown `kid`, or after a failure. Default: `30`. */
  cooldown: option({ shape: () => seconds({ example: 30 }), default: 30 }),
};

/** How the keys of clients with a `jwksUri` are fetched. */
export type ClientKeysOptions = OptionsOf<typeof clientKeyOptions>;
/** The options with their defaults. */
export interface ClientKeysSettings extends SettingsOf<typeof clientKeyOptions> {
  /** Whether strangers may be on the machine of the site, for development. */
  readonly allowLoopback: boolean;
}

const SECRET_KEY =
  'at least 32 random characters, or a list of such texts of which the first encrypts; `openssl rand -base64 32` prints some';
const secretKey = () => secretText(SECRET_KEY);

export const clientAuthenticationRows = {
  /** What is demanded of the JWTs with which clients authenticate. (RFC 7523 §3) */
  assertions: option({
    shape: () => objectOf(clientAssertionOptions, 'an object, such as { maxTtl: 600 }'),
    default: defaultsOf(clientAssertionOptions),
  }),
  /** How the keys of clients with a `jwksUri` are fetched. */
  keys: option({
    shape: () => objectOf(clientKeyOptions, 'an object, such as { timeout: 3000 }'),
    default: defaultsOf(clientKeyOptions),
    resolve: (keys, { issuer }): ClientKeysSettings => ({
      ...keys,
      allowLoopback: isLoopbackHost(issuer.hostname),
    }),
  }),
  /**
   * At least 32 random characters that encrypt the secrets of client_secret_jwt. Of several, the first encrypts and
   * each decrypts. Default: none, and no client_secret_jwt.
   */
  secretKey: option({
    shape: () => z.anyOf([secretKey(), listOf(secretKey(), SECRET_KEY, { isNeeded: true })], SECRET_KEY),
    secret: true,
    resolve: (given): readonly string[] => [given ?? []].flat(),
  }),
  /** Seconds that the old secret works after a rotation. Default: `86400` (a day). */
  secretOverlap: option({ shape: () => seconds({ min: 0, example: DAY }), default: DAY }),
};

/** How clients authenticate. */
export type ClientAuthenticationOptions = OptionsOf<typeof clientAuthenticationRows>;

/** Client authentication. */
export const clientAuthenticationOptions = {
  /** How clients authenticate: `{ secretOverlap: 3600 }`. */
  clientAuthentication: group(clientAuthenticationRows, '{ secretOverlap: 3600 }'),
};
