import * as z from '../../shared/schema.js';
import { group, option, type OptionsOf } from '../table/option.js';
import { callback, flag, oneOf, seconds } from '../table/shapes.js';

/** Maximum `reuseGrace` of a code in seconds: the maximum lifetime of a code (RFC 6749 §4.1.2). */
export const MAX_CODE_GRACE = 600;

/** `jwt` (RFC 9068): a resource server verifies it with the published keys. `opaque`: it needs introspection. */
export type AccessTokenFormat = 'opaque' | 'jwt';

export const accessTokenFormat = () => oneOf(['opaque', 'jwt']);

/** The tokens of a response, for `tokens.responseParameters`. */
export interface IssuedTokens {
  readonly client: { readonly clientId: string; readonly name: string };
  readonly userId?: string;
  readonly scopes: readonly string[];
  readonly grantType: string;
}

/** An access token, for `tokens.accessTokenClaims`. */
export interface AccessTokenDescription extends IssuedTokens {
  /** The resource of the token; absent: the API of the authorization server. */
  readonly resource?: string;
}

type Members<Token> = (token: Token) => Record<string, unknown> | Promise<Record<string, unknown>>;

export const tokenRows = {
  /** `opaque` or `jwt`. Default: `opaque`. (RFC 9068) */
  accessTokenFormat: option({ shape: accessTokenFormat, default: 'opaque' }),
  /**
   * `({ client, userId, scopes, grantType, resource }) => object`: more claims of access tokens that are JWTs, except
   * those of RFC 9068 §2.2. Anybody who has the token can read them. Default: none.
   */
  accessTokenClaims: option({
    shape: () => callback<Members<AccessTokenDescription>>('({ userId }) => ({ roles: rolesOf(userId) })'),
  }),
  /**
   * `({ client, userId, scopes, grantType }) => object`: more members of the token response, except those of RFC 6749
   * §5.1. Default: none.
   */
  responseParameters: option({
    shape: () => callback<Members<IssuedTokens>>('({ userId }) => ({ user_id: userId })'),
  }),
  /**
   * How long a used refresh token, code or device code is answered with the same tokens again: for lost responses, and
   * tabs that refresh at the same moment. Seconds, at most 600, until the new refresh token is used: a thief is not
   * noticed then. The refresh after a repeated one cannot be repeated, so that a thief who keeps step is noticed. Or
   * `'untilUsed'`: until the new refresh token is used, or the access token at a guard of this site or by introspection,
   * however late that is (codes: at most 600 seconds). A DPoP client repeats the request with a new proof. A code needs a client with
   * credentials or PKCE, and without a `profile`. Default: `0`. (RFC 9700 §4.14.2)
   */
  reuseGrace: option({
    shape: () =>
      z.union(
        [seconds({ min: 0, max: MAX_CODE_GRACE, example: 10 }), oneOf(['untilUsed'])],
        `a whole number of seconds from 0 to ${MAX_CODE_GRACE}, such as 10, or 'untilUsed'`,
      ),
    default: 0,
  }),
  /**
   * Whether tokens that the command `migrate` has taken over are accepted: access tokens until they expire, refresh
   * tokens once. Remove it when the last has expired. Default: `false`.
   */
  migrated: option({ shape: flag, default: false }),
};

/** The format of access tokens, and additional claims. */
export type TokenOptions = OptionsOf<typeof tokenRows>;

/** Tokens. */
export const tokenOptions = {
  /** What access tokens are, and what comes with them: `{ accessTokenFormat: 'jwt' }`. */
  tokens: group(tokenRows, "{ accessTokenFormat: 'jwt' }"),
};
