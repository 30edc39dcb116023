import { inEachLanguage } from '../../messages/index.js';
import type { ParsedOptions, RowsOf } from '../../settings/options.js';
import { loginPage, type LoginSettings, resolveLogin } from '../../settings/options/login-options.js';
import { PLAIN_SCOPE } from '../../settings/options/scopes.js';
import type { ScopeSettings } from '../../settings/options/site-options.js';
import { objectOrFalse, option, required, type SettingsOf } from '../../settings/table/option.js';
import type { OptionContext } from '../../settings/table/option-context.js';
import { serverOptionError } from '../../settings/table/parse-options.js';
import { secretText } from '../../settings/table/secret.js';
import { callback, flag, listOf, oneOf, recordOf, seconds, text } from '../../settings/table/shapes.js';
import { SIGNING_ALGORITHMS } from '../../shared/crypto/key-material.js';
import { OPENID_SCOPES, SCOPE_CLAIMS, type ScopeClaims } from '../../shared/protocol/standard-claims.js';

/** The claims of a user, by the names of OpenID Connect Core §5.1, and custom names. */
export type UserClaims = Readonly<Record<string, unknown>>;

/** The client's preferences for claims. */
export interface ClaimsContext {
  /** The preferred languages, the best first; empty if the client has none. (`claims_locales`, §5.2) */
  readonly claimsLocales: readonly string[];
}

/** The response types of OpenID Connect beside `code`. */
const RESPONSE_TYPES = [
  'id_token',
  'id_token token',
  'code id_token',
  'code token',
  'code id_token token',
] as const;

const SALT = 'at least 32 random characters; `openssl rand -base64 32` prints some';

const openidOptions = {
  /**
   * `(userId, scopes, { claimsLocales }) => claims`: what you know of a user, as `{ name, email, email_verified,
   * picture }`. The client gets only what its scopes allow. `null`: the user no longer exists, and the request is
   * refused.
   */
  claims: required({
    shape: () =>
      callback<
        (
          userId: string,
          scopes: readonly string[],
          requested: ClaimsContext,
        ) => UserClaims | null | undefined | Promise<UserClaims | null | undefined>
      >('async (userId) => claimsOf(await User.findById(userId))'),
  }),
  /**
   * Allows clients with `subjectType: 'pairwise'`: two sites cannot find out that they have the same visitor. At least
   * 32 secret random characters that never change: with another salt every user is new to every client. Default: none,
   * all clients get the id of `people.id`. (OpenID Connect Core §8.1)
   */
  pairwiseSalt: option({ shape: () => secretText(SALT), secret: true }),
  /** The claims that scopes of your own add: `{ staff: ['department', 'groups'] }`. Default: none. */
  scopeClaims: option({
    shape: () =>
      recordOf(
        listOf(text('the name of a claim'), "a list of claims, such as ['department']", { isNeeded: true }),
        "an object of claims by scope, such as { staff: ['department'] }",
      ),
    default: {},
  }),
  /**
   * The algorithms that clients can register for ID tokens, always with `RS256` unless there is a `profile`. Default:
   * `RS256` and that of `signingKeys`. (OpenID Connect Core §15.1)
   */
  algorithms: option({
    shape: () => listOf(oneOf(SIGNING_ALGORITHMS), "a list of algorithms, such as ['ES256']"),
    default: [],
  }),
  /**
   * More response types: `code id_token`, `code token`, `code id_token token`, and with the grant type `implicit`
   * `id_token` and `id_token token`. Only clients that are registered for `implicit` get access tokens through the
   * browser. Default: none. (OpenID Connect Core §3.2, §3.3)
   */
  responseTypes: option({
    shape: () => listOf(oneOf(RESPONSE_TYPES), "a list of response types, such as ['code id_token']"),
    default: [],
  }),
  /**
   * Your page for new users, written like `login`, for requests with `prompt=create`. Default: none, and such requests
   * are refused.
   */
  signUp: option({ shape: loginPage }),
  /**
   * Whether clients can notice logins and logouts in a frame, by a cookie that scripts can read. It fails if browsers
   * block third-party cookies; prefer the back channel. Default: `false`.
   */
  sessionManagement: option({ shape: flag, default: false }),
  /**
   * Seconds that the server remembers where a user signed in, to report the logout there: as long as your sessions
   * last. Default: `2592000` (30 days). (OpenID Connect Back-Channel Logout §2.3)
   */
  signInTtl: option({ shape: () => seconds({ example: 2_592_000 }), default: 2_592_000 }),
};

type Parsed = SettingsOf<typeof openidOptions>;

/** The options with their defaults. */
export interface OpenidSettings extends Omit<Parsed, 'scopeClaims' | 'signUp'> {
  readonly signUp: LoginSettings | undefined;
  /** The claims of all scopes, including those of OpenID Connect. */
  readonly scopeClaims: ScopeClaims;
}

/** Other sites sign users in through this one. */
export const openidServerOptions = {
  /**
   * Lets other sites and apps sign users in with their account here: `{ claims }` at least. It adds the scopes
   * `openid`, `profile`, `email`, `address`, `phone` and `offline_access`. Needs `signingKeys`. Default: `false`.
   * (OpenID Connect Core 1.0)
   */
  openid: objectOrFalse(
    openidOptions,
    'false or an object such as { claims: async (userId) => ({ name, email }) }',
    resolveOpenid,
  ),
};

declare module '../../settings/options.js' {
  interface FeatureRows extends RowsOf<typeof openidServerOptions> {}
}

/** @throws TypeError if a scope with claims, or the grant type of a response type, is missing */
function resolveOpenid(openid: Parsed | false, context: OptionContext): OpenidSettings | false {
  if (openid === false) return false;
  const unknown = Object.keys(openid.scopeClaims).find((scope) => !Object.hasOwn(context.scopes, scope));
  if (unknown !== undefined)
    throw serverOptionError(`openid.scopeClaims.${unknown}`, `'${unknown}' is not among scopes`);
  const implicit = openid.responseTypes.find((name) => !name.startsWith('code'));
  if (implicit !== undefined && !context.grantTypes.includes('implicit'))
    throw serverOptionError(
      'openid.responseTypes',
      `'${implicit}' needs the grant type implicit; name it in grantTypes`,
    );
  const signUp = openid.signUp === undefined ? undefined : resolveLogin(openid.signUp, context);
  return { ...openid, signUp, scopeClaims: { ...SCOPE_CLAIMS, ...openid.scopeClaims } };
}

/** The scopes of OpenID Connect that the site does not describe; `openid` and `offline_access` even if it does. */
export function openidScopes({ openid, scopes }: ParsedOptions): ParsedOptions['scopes'] {
  if (!openid) return {};
  const names = OPENID_SCOPES.filter(
    (name) => name === 'openid' || name === 'offline_access' || !Object.hasOwn(scopes, name),
  );
  const entries = names.map((name): readonly [string, ScopeSettings] => {
    const described = scopes[name] ?? {
      ...PLAIN_SCOPE,
      description: inEachLanguage((messages) => messages[`openid.${name}`]),
    };
    const settings = typeof described === 'string' ? { ...PLAIN_SCOPE, description: described } : described;
    // `openid` is never optional, even if the site describes it: without it there is no sign-in
    return [name, name === 'openid' ? { ...settings, optional: false } : settings];
  });
  return Object.fromEntries(entries);
}
