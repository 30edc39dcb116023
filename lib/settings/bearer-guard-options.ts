import { z } from 'zod';

import { CLOCK_TOLERANCE } from '../shared/clock-tolerance.js';
import { comparisonOptions } from './features/authorization-details-options.js';
import { guardMutualTlsOptions } from './features/mutual-tls-options.js';
import { bearerMethods, findUser, recheck } from './options/guard-options.js';
import type { OnError } from './options/on-error.js';
import { objectOf, option, type OptionsOf, required, type SettingsOf } from './table/option.js';
import { secretText } from './table/secret.js';
import {
  callback,
  clockTolerance,
  count,
  falseOr,
  flag,
  listOf,
  milliseconds,
  recordOf,
  text,
} from './table/shapes.js';

const url = (message: string) => z.string(message).refine((value) => URL.canParse(value), message);

/** A private key, as `KeyObject` and WebCrypto export it. (RFC 7517 §4) */
export interface GuardPrivateJwk {
  readonly kty?: string;
  readonly d?: string;
  readonly kid?: string;
  readonly alg?: string;
  readonly crv?: string;
}

function isPrivateJwk(value: unknown): value is GuardPrivateJwk {
  const { kty, d } = (value ?? {}) as Partial<GuardPrivateJwk>;
  return typeof d === 'string' && ['EC', 'OKP', 'RSA'].includes(String(kty));
}

/** The guard of a resource server that is a process of its own. */
export const bearerGuardOptions = {
  /** The issuer of the tokens, as its metadata says it. Everything else is found there. (RFC 8414) */
  issuer: required({
    shape: () => url('a URL, that of the authorization server, such as https://photos.example'),
  }),
  /** The URL that tokens for this resource server are for. Default: the issuer's own API. (RFC 8707) */
  resource: option({
    shape: () => url('a URL, that of this resource server, such as https://api.photos.example'),
  }),
  /** What people call this resource server: published. Default: none. (RFC 9728 §2 resource_name) */
  name: option({ shape: () => text("text that is not empty, such as 'Albums'") }),
  /**
   * Seconds, at most 60, that the clocks of the authorization server and of clients may be apart from this one, for
   * `exp`, `nbf`, `iat` and `auth_time` of access tokens, and `iat` of DPoP proofs. Default: `30`. (RFC 9068 §4, RFC 7519
   * §4.1.4)
   */
  clockTolerance: option({ shape: clockTolerance, default: CLOCK_TOLERANCE }),
  /**
   * The client that asks about opaque tokens, registered with `introspection: true`. Default: none, such tokens are
   * refused. (RFC 7662)
   */
  clientId: option({ shape: () => text('the id of a client') }),
  /** The secret of that client. Default: none. */
  clientSecret: option({ shape: () => text('the secret of a client'), secret: true }),
  /**
   * The private key of that client as a JWK, in the place of a secret (`private_key_jwt`): a site with a `profile`
   * takes no secrets. Its `alg` is the algorithm that signs; without one it is PS256, ES256 or the like, as suits the
   * kind of key. Default: none. (RFC 7523 §2.2)
   */
  clientKey: option({
    shape: () =>
      z.custom<GuardPrivateJwk>(
        isPrivateJwk,
        "a private key as a JWK, such as privateKey.export({ format: 'jwk' })",
      ),
    secret: true,
  }),
  /**
   * Where to ask about opaque tokens, if that is not at the origin of the issuer: the secret is sent nowhere else.
   * Default: the `introspection_endpoint` of the metadata. (RFC 7662 §2)
   */
  introspectionEndpoint: option({
    shape: () => url('a URL, such as https://tokens.photos.example/introspect'),
  }),
  /**
   * Takes tokens that are bound to a key of their client, with a proof of it: the scheme DPoP beside Bearer. Only this
   * process knows which proofs were used, and it remembers the last 100,000. Without it such tokens are refused;
   * `'required'` refuses all others. Default: `false`. (RFC 9449, RFC 9728 §2)
   */
  dpop: option({
    shape: () => z.union([z.boolean(), z.literal('required')], "true, false or 'required'"),
    default: false,
  }),
  ...guardMutualTlsOptions,
  /**
   * Refuses tokens that are bound neither to a key nor to a certificate. It needs `dpop` or `mutualTls`; either will
   * do. Default: `false`. (RFC 9700 §2.2.1, FAPI 2.0 Security Profile §5.3.4)
   */
  senderConstrained: option({ shape: flag, default: false }),
  /**
   * At least 32 random characters, the same in every process of this resource server. With them proofs need a nonce.
   * Default: none, and no nonces. (RFC 9449 §9)
   */
  dpopNonceSecret: option({
    shape: () => secretText('a text of at least 32 characters; `openssl rand -base64 32` prints one'),
    secret: true,
  }),
  /**
   * How many opaque tokens from one address (`req.ip`; an IPv6 network counts as one) may turn out wrong in a minute.
   * Beyond that wrong ones are answered 429, and the authorization server is asked about one token of the address at a
   * time, so that a right one is let in whoever else is at the address; of more than 20 at once the rest is answered 429.
   * `false`: no limit. Default: `600`.
   */
  rateLimit: option({
    shape: () => falseOr(count({ example: 600 }), 'false or a whole number, such as 600'),
    default: 600,
  }),
  /** The scopes of this resource server, which it publishes. A guard that names another throws. Default: not known. */
  scopes: option({
    shape: () => listOf(text("a scope, such as 'photos:read'"), "a list of scopes, such as ['photos:read']"),
  }),
  /**
   * What scopes include, as with `implies` at the authorization server: `{ 'photos:write': ['photos:read'] }`. A token
   * names what was granted; a route that needs an included scope lets it in. Default: nothing.
   */
  impliedScopes: option({
    shape: () =>
      recordOf(
        listOf(text('a scope'), "a list of scopes, such as ['photos:read']"),
        "an object of scope and the scopes that it includes, such as { 'photos:write': ['photos:read'] }",
      ),
    default: {},
  }),
  /**
   * How routes with `details` compare them, by type: `{ payment: { compare: (asked, granted) => … } }`, as the option of
   * that name of the authorization server does. Default: what is needed must be what was allowed, to the letter. (RFC
   * 9396 §6.1)
   */
  authorizationDetails: option({
    shape: () =>
      recordOf(
        objectOf(comparisonOptions, 'an object such as { compare: (asked, granted) => true }'),
        'an object of type and comparison, such as { payment: { compare: (asked, granted) => true } }',
      ),
    default: {},
  }),
  /** Where the token may come from. Default: `['header']`; `body` and `query` are older ways. (RFC 6750 §2) */
  bearerMethods: option({ shape: bearerMethods, default: ['header'] }),
  /**
   * `(userId) => user` or a promise: finds the person of a token for `req.user`, on routes that ask for it (`user`,
   * `orSession`, the strategy for Passport). If it gives `null`, the token is refused with 401. Default: none.
   */
  findUser: option({ shape: findUser }),
  /**
   * Seconds that an answer about an opaque token is believed. A revoked token works that much longer at most. Requests
   * with the same token at the same moment wait for one answer. `0` asks for every request. Default: `30`.
   */
  cacheTtl: option({
    shape: () => {
      const message = 'a number of seconds, 0 or more, such as 30';
      return z.number(message).nonnegative(message);
    },
    default: 30,
  }),
  /**
   * Seconds after which the authorization server is asked again about the opaque tokens of open connections
   * (`req.auth.signal`, `guard.upgrade`, streams of `mcp`). A JWT ends when it expires. Default: `30`.
   */
  recheck: option({ shape: recheck, default: 30 }),
  /** How many valid tokens are remembered. Default: `10000`. */
  cacheSize: option({ shape: () => count({ example: 10_000 }), default: 10_000 }),
  /**
   * Seconds between two requests for the keys that unknown key ids can cause; shorter than the issuer's
   * `publishAhead`. Default: `30`.
   */
  keysCooldown: option({
    shape: () => {
      const message = 'a number of seconds, more than 0, such as 30';
      return z.number(message).positive(message);
    },
    default: 30,
  }),
  /** Milliseconds that the authorization server may take; beyond that the answer is 503. Default: `5000`. */
  timeout: option({ shape: () => milliseconds({ example: 5000 }), default: 5000 }),
  /** Allows an `http:` issuer that is not loopback. Default: `false`. */
  dangerouslyAllowInsecureHttp: option({ shape: flag, default: false }),
  /**
   * `(error, { requestId, endpoint, req }) => void`: told of every error with its private reason. Default: writes
   * those of the server (5xx) to `console.error`; of 503 with the same endpoint, detail and kind of cause one line,
   * and one with a count at the end of the minute.
   */
  onError: option({
    shape: () => callback<OnError>('(error, { requestId, endpoint, req }) => log(error)'),
  }),
};

/** The options of `bearerGuard`. */
export type BearerGuardOptions = OptionsOf<typeof bearerGuardOptions>;
/** The options with their defaults. */
export type BearerGuardSettings = SettingsOf<typeof bearerGuardOptions>;
