import type { ResolvedOptions, RowsOf } from '../../settings/options.js';
import { option, type OptionsOf, type SettingsOf, switchable } from '../../settings/table/option.js';
import type { OptionContext } from '../../settings/table/option-context.js';
import { serverOptionError } from '../../settings/table/parse-options.js';
import { count, falseOr, flag, listOf, seconds, text } from '../../settings/table/shapes.js';

const DAY = 86_400;

/** Maximum seconds that a rotated token's previous value stays valid. */
export const MAX_OVERLAP = 30 * DAY;
/** Default seconds that a rotated token's previous value stays valid. */
export const DEFAULT_OVERLAP = DAY;
/** Maximum number of live tokens of a user, and of service tokens that a user owns. */
export const MAX_TOKENS = 50;
/** Concurrent requests can briefly exceed {@link MAX_TOKENS}; the list shows these tokens as well. */
export const MAX_LISTED_TOKENS = 2000;

const rows = {
  /** The scopes of such tokens. Default: all of the option `scopes`, without those of OpenID Connect. */
  scopes: option({ shape: () => listOf(text('a scope'), "a list of scopes, such as ['photos:read']") }),
  /** Seconds that a token lives unless its maker chooses. Default: 30 days. */
  ttl: option({ shape: () => seconds({ example: 30 * DAY }), default: 30 * DAY }),
  /** Most seconds that a user's token can live; `false`: also without an end. Default: 366 days. */
  maxTtl: option({
    shape: () => falseOr(seconds({ example: 366 * DAY }), 'false or a number of seconds, such as 31622400'),
    default: 366 * DAY,
  }),
  /** Calls of one token in an hour, at each process; further ones get 429. Default: no limit. */
  callsPerHour: option({ shape: () => count({ example: 5000 }) }),
  /**
   * Whether users can make service tokens, which act for no user and have several owners. Code always can. Default:
   * `false`.
   */
  serviceTokens: option({ shape: flag, default: false }),
};

/** Tokens that users make for their programs. */
export type PersonalAccessTokensOptions = OptionsOf<typeof rows>;

/** Personal access tokens. */
export const personalAccessTokenOptions = {
  /**
   * Lets users make access tokens for their programs on a page, and code by `oauth.personalAccessTokens`. A user
   * can have 50 live tokens, and own 50 service tokens. `true`, or an object. Default: `false`.
   */
  personalAccessTokens: switchable(rows, '{ maxTtl: 7776000 }', { resolve: resolvePersonalAccessTokens }),
};

declare module '../../settings/options.js' {
  interface FeatureRows extends RowsOf<typeof personalAccessTokenOptions> {}
}

/** The options with their defaults. */
export type PersonalAccessTokenSettings = SettingsOf<typeof rows> & { readonly scopes: readonly string[] };

/** @throws TypeError if a scope is not one of the server */
function resolvePersonalAccessTokens(
  options: SettingsOf<typeof rows> | false,
  { apiScopes: scopes }: OptionContext,
): PersonalAccessTokenSettings | false {
  if (options === false) return false;
  const unknown = options.scopes?.find((scope) => !scopes.includes(scope));
  if (unknown !== undefined)
    throw serverOptionError(
      'personalAccessTokens.scopes',
      `'${unknown}' is not among the scopes: ${scopes.join(', ')}`,
    );
  return {
    ...options,
    ttl: Math.min(options.ttl, options.maxTtl || Infinity),
    scopes: options.scopes ?? scopes,
  };
}

/** @throws TypeError if every token needs a key, which these never have */
export function checkKeyBinding({ personalAccessTokens, dpop, profile }: ResolvedOptions): void {
  const binding = dpop && dpop.required ? 'dpop.required' : profile && 'profile';
  if (personalAccessTokens && binding !== undefined)
    throw serverOptionError(
      'personalAccessTokens',
      `with ${binding} every token needs a key, and these have none; take one out`,
    );
}
