import type { Request } from 'express';
import type { Connection } from 'mongoose';

import type { BearerMethod } from '../protocol/bearer-method.js';
import type { AccessTokenFormat, ResourceOptions } from '../protocol/resource.js';
import type { AuditOptions } from './audit-options.js';
import type { ClientAssertionOptions, ClientKeysOptions } from './client-authentication-options.js';
import type { ExtensionGrantType } from './extension-grant-type.js';
import type { OnError } from './on-error.js';
import type { PagesOptions } from './page-options.js';
import type { RegistrationOptions } from './registration-options.js';
import type { SigningKeyOptions } from './signing-key-options.js';
import type { TelemetryOptions } from './telemetry-options.js';

/** A grant type that this package brings. `implicit` and `password` are older ones; those and the one for devices (RFC 8628) are off unless named. */
export type BuiltInGrantType =
  | 'authorization_code'
  | 'refresh_token'
  | 'client_credentials'
  | 'implicit'
  | 'password'
  | 'urn:ietf:params:oauth:grant-type:device_code';

/** The host's login page. */
export interface LoginOptions {
  /** Path of the page on this site, such as `/login`. */
  readonly path: string;
  /** Name of the query parameter that carries the path to return to. Default: `return_to`. */
  readonly returnParameter?: string;
}

/** A scope with more than a description. */
export interface ScopeOptions {
  /** In words a person understands, in one language or by language: `{ en: 'See your photos', de: 'Ihre Fotos sehen' }`. */
  readonly description: string | Readonly<Record<string, string>>;
  /** Whether a person may leave it out and still allow the rest. Default: true. (RFC 6749 §3.3) */
  readonly optional?: boolean;
}

/** How often a caller may fail before it is answered 429; each window is counted in every process on its own. */
export interface RateLimitOptions {
  /** Failed client authentications per address and client in a minute, all endpoints together. Default: 60. */
  readonly token?: number;
  /** Failed password grants per address and user name in 15 minutes; the bundled login has its own `rateLimit`. Default: 10. */
  readonly login?: number;
  /** Forms sent on the applications pages per developer in a minute. Default: 30. */
  readonly applications?: number;
  /** Clients that register themselves per address and minute. Default: 10. */
  readonly registration?: number;
  /** Wrong codes of devices per person in 15 minutes; ten times as many per address. Default: 10. (RFC 8628 §5.1) */
  readonly device?: number;
  /** Codes that devices of public clients ask for, per address in a minute. Default: 60. */
  readonly deviceAuthorization?: number;
}

/** What `additionalTokenParameters` learns of the tokens that are about to be sent. */
export interface IssuedTokens {
  readonly client: { readonly clientId: string; readonly name: string };
  readonly userId?: string;
  readonly scopes: readonly string[];
  readonly grantType: string;
}

/** What `accessTokenClaims` learns of the access token that is being made. */
export interface AccessTokenDescription extends IssuedTokens {
  /** The resource it is for; absent: the API of the authorization server itself. */
  readonly resource?: string;
}

/** The options of `authorizationServer`. All spans are in seconds unless they say otherwise. */
export interface AuthorizationServerOptions {
  /**
   * The one public URL of the authorization server, without a slash at its end: `https://photos.example`.
   * `http:` is for loopback only. Never guessed from the `Host` header. (RFC 8414 §2, RFC 9207)
   */
  readonly issuer: string;
  /** The host's own Mongoose connection: `mongoose.connection` or what `mongoose.createConnection()` gives. */
  readonly connection: Connection;
  /** What a client may ask for, in words a person understands: `{ 'photos:read': 'See your photos' }`. (RFC 6749 §3.3) */
  readonly scopes: Readonly<Record<string, string | ScopeOptions>>;
  /** The host's Passport login page: its path (`/login`), or path and name of the return parameter. */
  readonly login: string | LoginOptions;
  /** Where the endpoints lie below the issuer. Default: `/oauth`. */
  readonly basePath?: string;
  /**
   * The grant types that are on: names, and the host's own extension grants.
   * Default: `['authorization_code', 'refresh_token', 'client_credentials']`. (RFC 6749 §4)
   */
  readonly grantTypes?: readonly (BuiltInGrantType | ExtensionGrantType)[];
  /** The scopes meant by a request that names none. Default: all that the client is registered for. (RFC 6749 §3.3) */
  readonly defaultScopes?: readonly string[];
  /** Requires PKCE of every client, not of public ones only. Default: false. (RFC 7636, RFC 9700 §2.1.1) */
  readonly requirePkce?: boolean;
  /**
   * Lets clients register themselves: `{ open: true }` anybody, `{}` those who have an initial access token. Default:
   * false, nobody. (RFC 7591, RFC 7592)
   */
  readonly registration?: RegistrationOptions | false;
  /** Seconds that an authorization code can be redeemed, 600 at most. Default: 60. (RFC 6749 §4.1.2) */
  readonly authorizationCodeTtl?: number;
  /** Seconds that the codes of a device can be used. Default: 600. (RFC 8628 §3.2) */
  readonly deviceCodeTtl?: number;
  /** Seconds that an access token is valid. Default: 3600. */
  readonly accessTokenTtl?: number;
  /** Seconds that a refresh token can be used; each use gives a new one with a new span. Default: 2592000 (30 days). */
  readonly refreshTokenTtl?: number;
  /**
   * Seconds from the person's authorization after which refreshing ends, however often a refresh token was used.
   * Default: none; an unused one ends by `refreshTokenTtl`, which is what RFC 9700 §4.14.2 asks for.
   */
  readonly refreshTokenMaxTtl?: number;
  /**
   * Seconds in which a refresh token that was used already is answered with the same tokens once more, 600 at most:
   * for responses that were lost, and for tabs that refresh at the same moment. Default: 0. (RFC 9700 §4.14.2)
   */
  readonly reuseGrace?: number;
  /** Seconds that the old secret of a client still works after a rotation. Default: 86400 (a day). */
  readonly secretOverlap?: number;
  /** What the JWTs are held to by which clients authenticate. (RFC 7523 §3) */
  readonly clientAssertions?: ClientAssertionOptions;
  /** How the keys of clients are fetched that are registered with a `jwksUri`. */
  readonly clientKeys?: ClientKeysOptions;
  /**
   * At least 32 random characters under which the secrets of clients are kept that use client_secret_jwt; of several
   * the first encrypts and each decrypts. Default: none, and no client_secret_jwt. (OpenID Connect Core §9)
   */
  readonly clientSecretKey?: string | readonly string[];
  /** The stable id of the logged-in person. Default: `String(user.id ?? user._id)`. */
  readonly userId?: (user: NonNullable<Request['user']>) => string;
  /** How the consent page names the logged-in person. Default: `displayName`, `name`, `username`, `email` or the id. */
  readonly userName?: (user: NonNullable<Request['user']>) => string;
  /** Who may register applications on the page. Default: everyone who is logged in. */
  readonly isDeveloper?: (req: Request) => boolean | Promise<boolean>;
  /** Who sees all applications, changes them, and vouches for them. Default: nobody. */
  readonly isAdministrator?: (req: Request) => boolean | Promise<boolean>;
  /** Checks name and password for the `password` grant; resolves to the user's id, or null. (RFC 6749 §4.3) */
  readonly authenticateUser?: (username: string, password: string) => Promise<string | null>;
  /** More members for the token response; those of RFC 6749 §5.1 cannot be replaced. */
  readonly additionalTokenParameters?: (
    tokens: IssuedTokens,
  ) => Record<string, unknown> | Promise<Record<string, unknown>>;
  /**
   * The resource servers that tokens can be asked for, by their URLs: `{ 'https://api.photos.example': { tokenFormat: 'jwt' } }`.
   * A token for one is refused at another. Default: none, the parameter `resource` is ignored. (RFC 8707, RFC 9728)
   */
  readonly resources?: Readonly<Record<string, ResourceOptions>>;
  /** The format of access tokens. Default: `opaque`. (RFC 9068) */
  readonly accessTokenFormat?: AccessTokenFormat;
  /** More claims for access tokens that are JWTs; those of RFC 9068 §2.2 cannot be replaced. Anybody who has the token can read them. */
  readonly accessTokenClaims?: (
    token: AccessTokenDescription,
  ) => Record<string, unknown> | Promise<Record<string, unknown>>;
  /** The keys that JWTs are signed with. Default: ES256 keys, made on first need and kept in MongoDB. */
  readonly signingKeys?: SigningKeyOptions;
  /** Where the guard looks for the token. Default: `['header']`; `body` and `query` are older ways. (RFC 6750 §2) */
  readonly bearerMethods?: readonly BearerMethod[];
  /** A folder whose views replace ours of the same name: `consent.ejs`, `error.ejs`, `application.ejs`… */
  readonly views?: string;
  /** What the pages call this site. Default: the issuer's host. */
  readonly siteName?: string;
  /** Languages, logo and colours of the pages. */
  readonly pages?: PagesOptions;
  /** Limits on failures; `false` switches them off, for load tests. (RFC 6749 §2.3.1, §4.3.2, §10.10) */
  readonly rateLimits?: RateLimitOptions | false;
  /**
   * Seconds that a process remembers a client which tokens are asked by again (a code, a refresh token, introspection,
   * revocation): what another process changes in it is known after that time at the latest, at once where MongoDB has
   * change streams (a replica set or a sharded cluster). What makes a new grant reads its client each time.
   * 0: nothing is remembered. Default: 5.
   */
  readonly clientCacheTtl?: number;
  /** Milliseconds that a database command may take before the answer is 503. Default: 5000. */
  readonly databaseTimeout?: number;
  /** Lets an `http:` issuer be something else than loopback, and requests come without TLS. Default: false. */
  readonly dangerouslyAllowInsecureHttp?: boolean;
  /** Told of every error with its private reason. Default: writes those of the server (5xx) to `console.error`. */
  readonly onError?: OnError;
  /** Keeps the events of `oauth.events` in the collection `oauth_audit` for `ttl` seconds. Default: off. */
  readonly audit?: AuditOptions;
  /** OpenTelemetry objects of the host: `{ tracer: trace.getTracer('oauth'), meter: metrics.getMeter('oauth') }`. Default: none. */
  readonly telemetry?: TelemetryOptions;
}
