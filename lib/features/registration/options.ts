import { DEFAULT_USED_TTL } from '../../core/clients/client-store.js';
import type { RowsOf } from '../../settings/options.js';
import { resolveOwnerChoices } from '../../settings/pages/applications-options.js';
import { objectOf, option, type OptionsOf } from '../../settings/table/option.js';
import { callback, count, falseOr, flag, listOf, seconds, text } from '../../settings/table/shapes.js';

/** Verified claims of a software statement: client metadata by their names in RFC 7591 §2. */
export type SoftwareStatementClaims = Readonly<Record<string, unknown>>;

type VerifySoftwareStatement = (
  statement: string,
) => SoftwareStatementClaims | null | Promise<SoftwareStatementClaims | null>;

const DAY = 86_400;

const selfRegistrationOptions = {
  /**
   * Whether anybody may register a client. Default: `false`, only with an initial access token of
   * `oauth.registration.createInitialAccessToken`.
   */
  open: option({ shape: flag, default: false }),
  /**
   * Most clients that registered themselves and wait for their first use. Beyond that, the oldest is removed; if none
   * has waited ten minutes, the answer is 503. Default: `1000`.
   */
  maxClients: option({ shape: () => count({ example: 1000 }), default: 1000 }),
  /**
   * Seconds without a new or refreshed grant after which a used client is removed, but not before its tokens end. A
   * client that never refreshed its one grant is removed as soon as its last token has ended. Default: `7776000` (90
   * days).
   */
  usedTtl: option({ shape: () => seconds({ example: DEFAULT_USED_TTL }), default: DEFAULT_USED_TTL }),
  /** Seconds after which a client that nobody has used is removed. Default: `86400` (a day). */
  unusedTtl: option({ shape: () => seconds({ example: DAY }), default: DAY }),
  /**
   * The grant types of such a client. With `client_credentials`, anybody who registers gets access without a user.
   * Default: `authorization_code` and `refresh_token`.
   */
  grantTypes: option({
    shape: () => listOf(text('a name'), "a list of grant types, such as ['authorization_code']"),
  }),
  /** The scopes of such a client. Default: all. */
  scopes: option({ shape: () => listOf(text('a scope'), "a list of scopes, such as ['photos:read']") }),
  /**
   * Whether a client may ask users for all of `scopes` later, as agents need. Default: `false`, only those that it
   * names when it registers, or `defaultScopes`. (RFC 7591 §3.2.1)
   */
  allScopes: option({ shape: flag, default: false }),
  /**
   * `async (statement) => claims` or `null`: verifies a software statement (its signature, issuer and life) and gives
   * its claims, which win over the request. Default: every request with one is refused. (RFC 7591 §2.3)
   */
  verifySoftwareStatement: option({
    shape: () => callback<VerifySoftwareStatement>('async (statement) => claims or null'),
  }),
};

/** How clients may register themselves (RFC 7591, RFC 7592). */
export type RegistrationOptions = OptionsOf<typeof selfRegistrationOptions>;

/** Clients that register themselves (RFC 7591, RFC 7592). */
export const registrationOptions = {
  /**
   * Lets clients register themselves: `{ open: true }` anybody, `{}` those with an initial access token. Default:
   * `false`. (RFC 7591, RFC 7592)
   */
  registration: option({
    shape: () =>
      falseOr(
        objectOf(selfRegistrationOptions, 'an object'),
        'false or an object of open, maxClients, usedTtl, unusedTtl, grantTypes, scopes, allScopes, verifySoftwareStatement; { open: true } lets anybody register, {} those with an initial access token',
      ),
    default: false,
    members: selfRegistrationOptions,
    resolve: (options, context) =>
      options === false ? false : { ...options, ...resolveOwnerChoices('registration', options, context) },
  }),
};

declare module '../../settings/options.js' {
  interface FeatureRows extends RowsOf<typeof registrationOptions> {}
}
