import { option } from '../table/option.js';
import { callback, flag, listOf, oneOf, seconds, text } from '../table/shapes.js';

/** `jwt` (RFC 9068): a resource server verifies it with the published keys alone. `opaque`: it has to ask. */
export type AccessTokenFormat = 'opaque' | 'jwt';

export const accessTokenFormat = () => oneOf(['opaque', 'jwt']);

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

type Members<Token> = (token: Token) => Record<string, unknown> | Promise<Record<string, unknown>>;

const DAY = 86_400;

/** Codes and tokens: what they are, and how long they last. */
export const tokenOptions = {
  /** The scopes meant by a request that names none. Default: all that the client is registered for. (RFC 6749 §3.3) */
  defaultScopes: option({
    shape: () => listOf(text("a scope, such as 'photos:read'"), "a list of scopes, such as ['photos:read']"),
  }),
  /** Seconds that an authorization code can be redeemed, 600 at most. Default: `60`. (RFC 6749 §4.1.2) */
  authorizationCodeTtl: option({
    shape: () => seconds({ max: 600, because: ' (RFC 6749 §4.1.2)', example: 60 }),
    default: 60,
  }),
  /** Seconds that an access token is valid. Default: `3600`. */
  accessTokenTtl: option({ shape: () => seconds({ example: 3600 }), default: 3600 }),
  /**
   * Seconds that a refresh token can be used; each use gives a new one with a new span. Default: `2592000`
   * (30 days).
   */
  refreshTokenTtl: option({ shape: () => seconds({ example: 30 * DAY }), default: 30 * DAY }),
  /**
   * Seconds from the person's authorization after which refreshing ends, however often a refresh token was used.
   * Default: none; an unused one expires after `refreshTokenTtl`, which is what RFC 9700 §4.14.2 asks for.
   */
  refreshTokenMaxTtl: option({ shape: () => seconds({ example: 365 * DAY }) }),
  /**
   * Seconds, 600 at most, in which a refresh token or a code that was used already is answered once more, with the same
   * tokens. It is for responses that were lost, and for tabs that happen to refresh at the same moment. It does not
   * work for two refreshes in a row: after an answer was repeated, the next refresh token ends the grant if it is
   * presented again. A code is answered again only if its client has more to show than the code (credentials or PKCE)
   * and is not held to a `profile`. A client that has shown a DPoP proof shows a new one. During that time a thief is
   * not noticed. Default: `0`, as RFC 6749 §4.1.2 asks for. (RFC 9700 §4.14.2)
   */
  reuseGrace: option({
    shape: () =>
      seconds({
        min: 0,
        max: 600,
        because: ': in this time a stolen refresh token works once more',
        example: 10,
      }),
    default: 0,
  }),
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
  additionalTokenParameters: option({
    shape: () => callback<Members<IssuedTokens>>('({ userId }) => ({ user_id: userId })'),
  }),
  /**
   * Whether tokens of another server that the command `migrate` has taken over are honoured: access tokens until they
   * expire, refresh tokens once, in exchange for tokens of ours. Each token that is not ours then costs one more
   * command. Remove it when the last of them has expired. Default: `false`.
   */
  migratedTokens: option({ shape: flag, default: false }),
};
