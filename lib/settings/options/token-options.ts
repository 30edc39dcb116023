import { group, option, type OptionsOf } from '../table/option.js';
import { callback, flag, oneOf, seconds } from '../table/shapes.js';

/** `jwt` (RFC 9068): a resource server verifies it with the published keys alone. `opaque`: it has to ask. */
export type AccessTokenFormat = 'opaque' | 'jwt';

export const accessTokenFormat = () => oneOf(['opaque', 'jwt']);

/** What `tokens.responseParameters` learns of the tokens that are about to be sent. */
export interface IssuedTokens {
  readonly client: { readonly clientId: string; readonly name: string };
  readonly userId?: string;
  readonly scopes: readonly string[];
  readonly grantType: string;
}

/** What `tokens.accessTokenClaims` learns of the access token that is being made. */
export interface AccessTokenDescription extends IssuedTokens {
  /** The resource it is for; absent: the API of the authorization server itself. */
  readonly resource?: string;
}

type Members<Token> = (token: Token) => Record<string, unknown> | Promise<Record<string, unknown>>;

export const tokenRows = {
  /** The format of access tokens, `opaque` or `jwt`. Default: `opaque`. (RFC 9068) */
  accessTokenFormat: option({ shape: accessTokenFormat, default: 'opaque' }),
  /**
   * `({ client, userId, scopes, grantType, resource }) => object`: more claims for access tokens that are JWTs. Those
   * of RFC 9068 §2.2 cannot be replaced. Anybody who has the token can read them. Default: none.
   */
  accessTokenClaims: option({
    shape: () => callback<Members<AccessTokenDescription>>('({ userId }) => ({ roles: rolesOf(userId) })'),
  }),
  /**
   * `({ client, userId, scopes, grantType }) => object`: more members for the token response; those of RFC
   * 6749 §5.1 cannot be replaced. Default: none.
   */
  responseParameters: option({
    shape: () => callback<Members<IssuedTokens>>('({ userId }) => ({ user_id: userId })'),
  }),
  /**
   * Seconds, 600 at most, in which a refresh token or a code that was used already is answered with the same tokens
   * again, as often as it comes. It is for responses that were lost, and for tabs that happen to refresh at the same
   * moment. After a repeated answer, the refresh token that is used next has no such grace: if it comes twice, the
   * grant ends. A code is answered again only if its client has more to show than the code (credentials or PKCE) and is
   * not held to a `profile`. A client that has shown a DPoP proof shows a new one. During that time a thief is not
   * noticed. Default: `0`, as RFC 6749 §4.1.2 asks for. (RFC 9700 §4.14.2)
   */
  reuseGrace: option({
    shape: () =>
      seconds({
        min: 0,
        max: 600,
        because: ': in this time a stolen refresh token works as well',
        example: 10,
      }),
    default: 0,
  }),
  /**
   * Whether tokens of another server that the command `migrate` has taken over are honoured: access tokens until they
   * expire, refresh tokens once, in exchange for tokens of this server. Each token that is not this server's then costs
   * one more command. Remove it when the last of them has expired. Default: `false`.
   */
  migrated: option({ shape: flag, default: false }),
};

/** What access tokens are, and what comes with them. */
export type TokenOptions = OptionsOf<typeof tokenRows>;

/** Tokens. */
export const tokenOptions = {
  /** What access tokens are and what comes with them: `{ accessTokenFormat: 'jwt' }`. */
  tokens: group(tokenRows, "{ accessTokenFormat: 'jwt' }"),
};
