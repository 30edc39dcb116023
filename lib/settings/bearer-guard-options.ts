import { CLOCK_TOLERANCE } from '../shared/date.js';
import * as z from '../shared/schema.js';
import { certificateProxyRows } from './options/certificate-proxy-options.js';
import { bearerMethods, comparison, findUser, recheck } from './options/guard-options.js';
import type { OnError } from './options/on-error.js';
import { group, option, type OptionsOf, required, type SettingsOf, switchable } from './table/option.js';
import { secretText } from './table/secret.js';
import {
  callback,
  clockTolerance,
  count,
  falseOr,
  flag,
  milliseconds,
  recordOf,
  scopeList,
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

const dpopRows = {
  /** Refuses all other tokens. Default: `false`. (RFC 9728 §2) */
  required: option({ shape: flag, default: false }),
  /**
   * At least 32 random characters, the same in every process. With them, proofs need a nonce. Default: none. (RFC 9449
   * §9)
   */
  nonceSecret: option({
    shape: () => secretText('a text of at least 32 characters; `openssl rand -base64 32` prints one'),
    secret: true,
  }),
};

const peopleRows = {
  /**
   * `(userId) => user`: the user for `req.user`, on routes with `user`, `orSession` or the strategy for Passport. With
   * `null`, the answer is 401. Default: none.
   */
  find: option({ shape: findUser }),
};

/** The guard of a resource server in a process of its own. */
export const bearerGuardOptions = {
  /** The issuer of the tokens; its metadata says everything else. (RFC 8414) */
  issuer: required({
    shape: () => url('a URL, that of the authorization server, such as https://photos.example'),
  }),
  /** The URL that tokens for this resource server are for. Default: the issuer's API. (RFC 8707) */
  resource: option({
    shape: () => url('a URL, that of this resource server, such as https://api.photos.example'),
  }),
  /** The published name of this resource server. Default: none. (`resource_name` of RFC 9728) */
  name: option({ shape: () => text("text that is not empty, such as 'Albums'") }),
  /**
   * The client that asks about opaque tokens, registered with `introspection: true`. Default: none, such tokens are
   * refused. (RFC 7662)
   */
  clientId: option({ shape: () => text('the id of a client') }),
  /** The secret of that client. Default: none. */
  clientSecret: option({ shape: () => text('the secret of a client'), secret: true }),
  /**
   * The private key of that client as a JWK, instead of a secret; a site with a `profile` takes no secrets. Default:
   * none. (RFC 7523 §2.2)
   */
  clientKey: option({
    shape: () =>
      z.custom<GuardPrivateJwk>((value) => {
        const { kty, d } = (value ?? {}) as Partial<GuardPrivateJwk>;
        return typeof d === 'string' && ['EC', 'OKP', 'RSA'].includes(String(kty));
      }, "a private key as a JWK, such as privateKey.export({ format: 'jwk' })"),
    secret: true,
  }),
  /**
   * The introspection endpoint, if it is not at the origin of the issuer. Default: the `introspection_endpoint` of the
   * metadata. (RFC 7662 §2)
   */
  introspectionEndpoint: option({
    shape: () => url('a URL, such as https://tokens.photos.example/introspect'),
  }),
  /**
   * Accepts tokens that are bound to a key of their client; otherwise they are refused. Each process knows only its own
   * used proofs, the last 100,000. `true`, or an object. Default: `false`. (RFC 9449, RFC 9728 §2)
   */
  dpop: switchable(dpopRows, '{ required: true }'),
  /**
   * Accepts tokens that are bound to a certificate, on a connection with it; otherwise they are refused. `true`, or an
   * object with the `proxy` that ends TLS. Default: `false`. (RFC 8705 §3)
   */
  mutualTls: switchable(certificateProxyRows, '{ proxy }', { terms: ',' }),
  /**
   * Refuses tokens that are bound neither to a key nor to a certificate. It needs `dpop` or `mutualTls`. Default:
   * `false`. (RFC 9700 §2.2.1)
   */
  senderConstrained: option({ shape: flag, default: false }),
  /**
   * Invalid opaque tokens per address (`req.ip`, or an IPv6 network) in a minute. Beyond that, invalid ones get 429,
   * and the guard checks the tokens of that address one after another. `false`: no limit. Default: `600`.
   */
  rateLimit: option({
    shape: () => falseOr(count({ example: 600 }), 'false or a whole number, such as 600'),
    default: 600,
  }),
  /**
   * The scopes that this resource server publishes: a list, or an object of each and those that it includes (`implies`):
   * `{ 'photos:read': [], 'photos:write': ['photos:read'] }`. A guard that names another throws. Default: not known.
   */
  scopes: option({
    shape: () => {
      const message =
        "a list of scopes, or an object of each and those that it includes, such as { 'photos:read': [], 'photos:write': ['photos:read'] }";
      return z.union(
        [
          scopeList().transform((names) => ({ names, implied: {} })),
          recordOf(scopeList(), message).transform((implied) => ({ names: Object.keys(implied), implied })),
        ],
        message,
      );
    },
  }),
  /**
   * Whether a detail that was allowed covers one that a route needs (`details`), by type: `{ payment: (asked, granted) =>
   * asked.amount <= granted.amount }`. Default: they must be equal.
   */
  authorizationDetails: option({
    shape: () =>
      recordOf(
        comparison.shape(),
        'an object of type and comparison, such as { payment: (asked, granted) => true }',
      ),
    default: {},
  }),
  /** How your API knows users: `{ find: (id) => User.findById(id) }`. */
  people: group(peopleRows, '{ find: (id) => User.findById(id) }'),
  /**
   * Seconds, at most 60, by which the clocks of the authorization server and of clients may differ. Default: `30`. (RFC
   * 9068 §4, RFC 7519 §4.1.4)
   */
  clockTolerance: option({ shape: clockTolerance, default: CLOCK_TOLERANCE }),
  /** Allows an `http:` issuer that is not loopback. Default: `false`. */
  dangerouslyAllowInsecureHttp: option({ shape: flag, default: false }),
  /** Where the token may come from. Default: `['header']`; `body` and `query` are older ways. (RFC 6750 §2) */
  bearerMethods: option({ shape: bearerMethods, default: ['header'] }),
  /**
   * Seconds that an answer about an opaque token is used, also for a token that is revoked. `0` asks for every request.
   * Default: `30`.
   */
  cacheMaxAge: option({
    shape: () => {
      const message = 'a number of seconds, 0 or more, such as 30';
      return z.number(message).min(0, message);
    },
    default: 30,
  }),
  /** Seconds between two checks of the opaque tokens of open connections. A JWT ends when it expires. Default: `30`. */
  recheck: option({ shape: recheck, default: 30 }),
  /**
   * Seconds between two fetches of the keys for an unknown `kid`: a new token with one gets 503 meanwhile. Shorter than
   * the issuer's `publishAhead`. Default: `30`.
   */
  keysCooldown: option({
    shape: () => {
      const message = 'a number of seconds, more than 0, such as 30';
      return z.number(message).refine((value) => value > 0, message);
    },
    default: 30,
  }),
  /** Milliseconds to wait for the authorization server; then the answer is 503. Default: `5000`. */
  timeout: option({ shape: () => milliseconds({ example: 5000 }), default: 5000 }),
  /**
   * `(error, { requestId, endpoint, req }) => void`: called for every error, whose `detail` has the private reason.
   * Default: writes server errors (5xx) to `console.error`.
   */
  onError: option({
    shape: () => callback<OnError>('(error, { requestId, endpoint, req }) => log(error)'),
  }),
};

/** The options of `bearerGuard`. */
export type BearerGuardOptions = OptionsOf<typeof bearerGuardOptions>;
/** The options with their defaults. */
export type BearerGuardSettings = SettingsOf<typeof bearerGuardOptions>;
