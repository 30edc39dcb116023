import type { Choices } from '../../settings/options/choice-options.js';
import type { PresentedRefreshToken } from '../../shared/crypto/secrets.js';
import { type ActorClaim, actorNames } from '../../shared/protocol/actor.js';
import type { AuthorizationDetail } from '../../shared/protocol/authorization-details.js';
import type { OpenidAuthorization } from '../openid/openid-authorization.js';
import type { Binding } from '../proof-of-possession/binding.js';
import type { UserAuthentication } from '../sessions/user-authentication.js';
import type { NamedToken } from './named-token.js';

/** A device code, and the state of its authorization (RFC 8628 §3.2, §3.5). */
export interface StoredDeviceCode {
  readonly hash: string;
  readonly expiresAt: Date;
  /** Seconds that the device has to wait between two polls. */
  readonly interval: number;
  readonly nextPollAt: Date;
  /** Whether the last poll came before `nextPollAt`. */
  readonly isTooSoon?: boolean;
  /** Absent until the user has decided. */
  readonly decision?: 'allow' | 'deny';
  /** The thumbprint of the key to which the code is bound (RFC 9449 §10). */
  readonly jkt?: string;
  readonly usedAt?: Date;
}

/** A live access token: only its hash, so that a leaked database gives no access. */
export interface StoredAccessToken extends Binding {
  readonly hash: string;
  readonly expiresAt: Date;
  /** Present if the token has fewer scopes than its grant (RFC 6749 §6). */
  readonly scopes?: readonly string[];
  /** Present if the token has other details than its grant (RFC 9396 §6). */
  readonly authorizationDetails?: readonly AuthorizationDetail[];
  /** The resource of the token (RFC 8707). Absent: the API of the authorization server itself. */
  readonly resource?: string;
}

/** An access token that another client got in exchange for one of the same grant (RFC 8693). */
export interface StoredExchangedToken extends StoredAccessToken {
  readonly clientId: string;
  readonly act?: ActorClaim;
  /** The hashes of the tokens in the chain of exchanges, the token's own last: the token ends if one of them ends. */
  readonly lineage: readonly string[];
  /** The clients in the chain of exchanges, with the token's own: the token ends if one is blocked or deleted. */
  readonly through: readonly string[];
  readonly issuedAt: Date;
}

/** A live refresh token; bound to a key or a certificate if the client is public (RFC 9449 §5, RFC 8705 §4). */
export interface StoredRefreshToken extends Binding {
  readonly hash: string;
  /** The hash of the part that all refresh tokens of a grant share; absent if another server made the token. */
  readonly familyHash?: string;
  readonly expiresAt: Date;
}

/** The response to the last redemption of a code or refresh token, for a client that presents the same value again. */
export interface StoredResend {
  /** The hash of the redeemed code or refresh token. */
  readonly hash: string;
  /** The response, encrypted under a key from the redeemed code or token: the database alone gives nobody a token. */
  readonly sealed: string;
  readonly rotatedAt: Date;
  /** Whether the response was sent again, or has arrived. */
  readonly isAnswered?: boolean;
  /** The hash of the access token in the response; absent unless `tokens.reuseGrace` is `'untilUsed'`. */
  readonly accessTokenHash?: string;
  /** Whether that access token was used: the response has arrived, so it is not sent again. */
  readonly isUsed?: boolean;
}

/** An authorization code and its bindings (RFC 6749 §4.1.2, RFC 7636 §4.4). */
export interface StoredAuthorizationCode {
  readonly hash: string;
  readonly expiresAt: Date;
  readonly redirectUri: string;
  /** Whether the authorization request had a `redirect_uri`: the token request must then repeat it (§4.1.3). */
  readonly isRedirectUriRequired: boolean;
  readonly codeChallenge?: string;
  /** The thumbprint of the key to which the code is bound (RFC 9449 §10). */
  readonly jkt?: string;
  readonly usedAt?: Date;
}

/** An authorization by a resource owner for a client, or by a client for itself. */
export interface Authorization {
  /** The resource owner; absent if the client acts for itself. */
  readonly userId?: string;
  readonly scopes: readonly string[];
  /** The resources of the grant's access tokens (RFC 8707 §2.2). Empty: the API of the authorization server itself. */
  readonly resources: readonly string[];
  /** Permissions beside the scopes (RFC 9396). */
  readonly authorizationDetails?: readonly AuthorizationDetail[];
  readonly choices?: Choices;
  /** When the authorization ends, if the user chose a lifetime: no token of it lives longer. */
  readonly endsAt?: Date;
  /** Present if the client was allowed to sign the user in. */
  readonly openid?: OpenidAuthorization;
  /**
   * When and how the user logged in, for routes that need a new or strong login (RFC 9470 §6). A refresh is no login,
   * so this never changes.
   */
  readonly authentication?: UserAuthentication;
  /** The clients to which the client may hand tokens on (RFC 8693 §4.4). */
  readonly mayAct?: readonly string[];
  /** Who acts for the resource owner, beside the client (RFC 8693 §4.1). */
  readonly actor?: ActorClaim;
  /** Data that an extension grant stores with the authorization. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** An authorization with its codes and tokens, which end with it. */
export interface Grant {
  readonly grantId: string;
  readonly clientId: string;
  readonly grantType: string;
  readonly authorization: Authorization;
  /** Present if a user has made the token for programs of their own. */
  readonly namedToken?: NamedToken;
  readonly code?: StoredAuthorizationCode;
  readonly device?: StoredDeviceCode;
  /** The positions of the authorization details that were good for one use, and have been used. */
  readonly usedDetails?: readonly number[];
  readonly accessTokens: readonly StoredAccessToken[];
  /** Absent if none of its tokens was exchanged. */
  readonly exchangedTokens?: readonly StoredExchangedToken[];
  readonly refreshToken?: StoredRefreshToken;
  readonly resend?: StoredResend;
  readonly revokedAt?: Date;
  /** Set while the client, or the token of a program, is blocked: until then tokens of the grant are refused. */
  readonly blockedAt?: Date;
  readonly createdAt: Date;
  /** When the grant's last tokens were issued, if later than `createdAt`. */
  readonly renewedAt?: Date;
  /** After this time no code or token of the grant can be used; the TTL index removes the grant. */
  readonly expiresAt: Date;
}

export interface TokenWrite {
  readonly accessToken: StoredAccessToken;
  readonly refreshToken?: StoredRefreshToken;
  readonly resend?: StoredResend | undefined;
  readonly now: Date;
  readonly expiresAt: Date;
}

/** A token as a client presents it, with the grant and the client to which it must belong. */
export interface TokenOfClient {
  readonly grantId: string;
  readonly hash: string;
  readonly clientId: string;
}

export type RefreshTokenHashes = Pick<PresentedRefreshToken, 'hash' | 'familyHash'>;

export type GuardedGrant = Pick<
  Grant,
  | 'grantId'
  | 'clientId'
  | 'grantType'
  | 'authorization'
  | 'namedToken'
  | 'accessTokens'
  | 'exchangedTokens'
  | 'revokedAt'
  | 'blockedAt'
> & { readonly resend?: Pick<StoredResend, 'accessTokenHash' | 'isUsed'> };

export interface GrantEventData {
  readonly clientId: string;
  readonly grantId: string;
  readonly userId?: string;
  readonly scopes: readonly string[];
  /** The names of the actors beside the client, the latest first. */
  readonly actors?: readonly string[];
}

export function grantEventData({ grantId, clientId, authorization }: Grant): GrantEventData {
  const { scopes, userId, actor } = authorization;
  return { clientId, grantId, scopes, userId, actors: actor && actorNames(actor) };
}
