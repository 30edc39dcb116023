import { z } from 'zod';

import { CLOCK_TOLERANCE } from '../../shared/clock-tolerance.js';
import { defaultsOf, objectOf, option, type OptionsOf, type SettingsOf } from '../table/option.js';
import { secretText } from '../table/secret.js';
import { bytes, clockTolerance, flag, milliseconds, oneOf, seconds } from '../table/shapes.js';

const DAY = 86_400;

const clientAssertionOptions = {
  /**
   * What `aud` may be: the issuer alone, or the token endpoint's URL as well (`issuer_or_token_endpoint`), for clients
   * that know no better. With the latter, a client that is registered at several servers can be tricked into making an
   * assertion for this one. Default: `issuer`.
   */
  audience: option({ shape: () => oneOf(['issuer', 'issuer_or_token_endpoint']), default: 'issuer' }),
  /** Seconds from now that `exp` may lie ahead. Default: `600`. */
  maxTtl: option({
    shape: () => seconds({ max: DAY, because: ': the id of each assertion is kept as long', example: 600 }),
    default: 600,
  }),
};

/** What is demanded of the JWTs with which clients authenticate. */
export type ClientAssertionOptions = OptionsOf<typeof clientAssertionOptions>;

const clientKeyOptions = {
  /**
   * Lets a `jwksUri` lie in the server's own network, and be `http:` on loopback. A client that nobody of the
   * site has vouched for (it registered or describes itself, or a person registered it on the applications page) can
   * never have such a one, except on loopback if the issuer is there, too. Default: `false`.
   */
  allowPrivateAddresses: option({ shape: flag, default: false }),
  /** Milliseconds for the whole of a fetch, name look-up included. Default: `3000`. */
  timeout: option({ shape: () => milliseconds({ max: 60_000, example: 3000 }), default: 3000 }),
  /** How many bytes the answer may have. Default: `65536`. */
  maxBytes: option({ shape: () => bytes({ max: 1_048_576, example: 65_536 }), default: 65_536 }),
  /**
   * Seconds that fetched keys are used. A key that the client removes works that much longer at most. Default: `600`.
   */
  cacheTtl: option({ shape: () => seconds({ example: 600 }), default: 600 }),
  /** Seconds between two fetches for an unknown `kid`, or after a fetch that failed. Default: `30`. */
  cooldown: option({ shape: () => seconds({ example: 30 }), default: 30 }),
};

/** How the keys of clients with a `jwksUri` are fetched. */
export type ClientKeysOptions = OptionsOf<typeof clientKeyOptions>;
/** The options with their defaults. */
export type ClientKeysSettings = SettingsOf<typeof clientKeyOptions>;

const SECRET_KEY =
  'at least 32 random characters, or a list of such texts of which the first encrypts; `openssl rand -base64 32` prints some';
const secretKey = () => secretText(SECRET_KEY);

/** Client authentication. */
export const clientAuthenticationOptions = {
  /**
   * Seconds, at most 60, that somebody else's clock may be apart from this server's, wherever their time is read: `exp`,
   * `nbf` and `iat` of client assertions, request objects, DPoP proofs and assertions of the issuers that you trust,
   * and `auth_time` at the guard. Default: `30`. (RFC 7519 §4.1.4, FAPI 2.0 Security Profile §5.3.2.1)
   */
  clockTolerance: option({ shape: clockTolerance, default: CLOCK_TOLERANCE }),
  /** Seconds that the old secret of a client still works after a rotation. Default: `86400` (a day). */
  secretOverlap: option({ shape: () => seconds({ min: 0, example: DAY }), default: DAY }),
  /** What is demanded of the JWTs with which clients authenticate. (RFC 7523 §3) */
  clientAssertions: option({
    shape: () => objectOf(clientAssertionOptions, 'an object, such as { maxTtl: 600 }'),
    default: defaultsOf(clientAssertionOptions),
  }),
  /** How the keys of clients with a `jwksUri` are fetched. */
  clientKeys: option({
    shape: () => objectOf(clientKeyOptions, 'an object, such as { timeout: 3000 }'),
    default: defaultsOf(clientKeyOptions),
  }),
  /**
   * At least 32 random characters with which the secrets of clients that use client_secret_jwt are encrypted. If there
   * are several, the first encrypts and each decrypts. Default: none, and no client_secret_jwt. (OpenID Connect Core
   * §9)
   */
  clientSecretKey: option({
    shape: () => z.union([secretKey(), z.array(secretKey()).min(1, SECRET_KEY).readonly()], SECRET_KEY),
    secret: true,
  }),
};
