import type { Choices } from '../../settings/options/choice-options.js';
import type { PresentedRefreshToken } from '../../shared/crypto/secrets.js';
import { type ActorClaim, actorNames } from '../../shared/protocol/actor.js';
import type { AuthorizationDetail } from '../../shared/protocol/authorization-details.js';
import type { OpenidAuthorization } from '../openid/openid-authorization.js';
import type { Binding } from '../proof-of-possession/binding.js';
import type { UserAuthentication } from '../sessions/user-authentication.js';
import type { NamedToken } from './named-token.js';

/** The code of a device, and the state of its authorization (RFC 8628 §3.2, §3.5). */
export interface StoredDeviceCode {
  readonly hash: string;
  readonly expiresAt: Date;
  /** Seconds that the device has to wait between two polls. */
  readonly interval: number;
  readonly nextPollAt: Date;
  /** Whether the last poll came before that. */
  readonly isTooSoon?: boolean;
  /** Absent until the user has decided. */
  readonly decision?: 'allow' | 'deny';
  /** The thumbprint of the key that it is bound to (RFC 9449 §10). */
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
  /** The resource it is for (RFC 8707); none: the API of the authorization server itself. */
  readonly resource?: string;
}

/** An access token that another client got in exchange for one of the same grant (RFC 8693). */
export interface StoredExchangedToken extends StoredAccessToken {
  readonly clientId: string;
  readonly act?: ActorClaim;
  /** The hashes of the tokens that it came of, and last its own: it ends with each of them. */
  readonly lineage: readonly string[];
  /** The clients through which it came, and its own: it ends if one of them is blocked or deleted. */
  readonly through: readonly string[];
  readonly issuedAt: Date;
}

/** Bound to a key or a certificate if it is a public client's (RFC 9449 §5, RFC 8705 §4). */
export interface StoredRefreshToken extends Binding {
  readonly hash: string;
  /** The hash of the part that all refresh tokens of its grant share; absent if another server made the token. */
  readonly familyHash?: string;
  readonly expiresAt: Date;
}

/** The response to the last redemption of a code or refresh token, for whoever presents the same one again. */
export interface StoredResend {
  /** Of the code or refresh token that was redeemed. */
  readonly hash: string;
  /** The response, encrypted under a key made from that code or token: what is stored gives nobody a token. */
  readonly sealed: string;
  readonly rotatedAt: Date;
  /** Whether the response was sent again, or has arrived. */
  readonly isAnswered?: boolean;
  /** Of the access token in the response; absent unless `tokens.reuseGrace` is `'untilUsed'`. */
  readonly accessTokenHash?: string;
  /** Whether that access token was used: the response has arrived, and is not sent again. */
  readonly isUsed?: boolean;
}

/** An authorization code with everything that it is bound to (RFC 6749 §4.1.2, RFC 7636 §4.4). */
export interface StoredAuthorizationCode {
  readonly hash: string;
  readonly expiresAt: Date;
  readonly redirectUri: string;
  /** Whether the authorization request named it: then the token request must, too (§4.1.3). */
  readonly isRedirectUriRequired: boolean;
  readonly codeChallenge?: string;
  /** The thumbprint of the key that it is bound to (RFC 9449 §10). */
  readonly jkt?: string;
  readonly usedAt?: Date;
}

/** What was authorized: by a resource owner for a client, or by a client for itself. */
export interface Authorization {
  /** The resource owner; absent if the client acts for itself. */
  readonly userId?: string;
  readonly scopes: readonly string[];
  /**
   * The resources that its access tokens may be for (RFC 8707 §2.2); none: the API of the authorization server itself.
   */
  readonly resources: readonly string[];
  /** What is allowed besides scopes (RFC 9396). */
  readonly authorizationDetails?: readonly AuthorizationDetail[];
  readonly choices?: Choices;
  /** When it ends, if the user has picked a lifetime: none of its tokens lives longer. */
  readonly endsAt?: Date;
  /** Present if the client was allowed to sign the user in. */
  readonly openid?: OpenidAuthorization;
  /**
   * When and how the user had logged in, for routes that need a new or strong login (RFC 9470 §6). It never changes:
   * a refresh is no login.
   */
  readonly authentication?: UserAuthentication;
  /** The clients that its client may hand its tokens on to (RFC 8693 §4.4). */
  readonly mayAct?: readonly string[];
  /** Who acts for the resource owner, beside the client (RFC 8693 §4.1). */
  readonly actor?: ActorClaim;
  /** What an extension grant keeps with it. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** An authorization with everything that lives and dies with it: a code, tokens, what became of them. */
export interface Grant {
  readonly grantId: string;
  readonly clientId: string;
  readonly grantType: string;
  readonly authorization: Authorization;
  /** Present if a user has made its token for programs of their own. */
  readonly namedToken?: NamedToken;
  readonly code?: StoredAuthorizationCode;
  readonly device?: StoredDeviceCode;
  /** The places of its authorization details that were good for one call, and have been used. */
  readonly usedDetails?: readonly number[];
  readonly accessTokens: readonly StoredAccessToken[];
  /** Absent if none of its tokens was exchanged. */
  readonly exchangedTokens?: readonly StoredExchangedToken[];
  readonly refreshToken?: StoredRefreshToken;
  readonly resend?: StoredResend;
  readonly revokedAt?: Date;
  /** Set while its client is blocked: nothing of it works, but nothing of it has ended. */
  readonly blockedAt?: Date;
  readonly createdAt: Date;
  /** When tokens were last issued for it, if that was later. */
  readonly renewedAt?: Date;
  /** When nothing of it can be used any more; the TTL index removes it then. */
  readonly expiresAt: Date;
}

export interface TokenWrite {
  readonly accessToken: StoredAccessToken;
  readonly refreshToken?: StoredRefreshToken;
  readonly resend?: StoredResend | undefined;
  readonly now: Date;
  readonly expiresAt: Date;
}

/** A token as a client presents it: the grant it must be in, and the client it must belong to. */
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
  /** Who acts for the user beside the client, by name, the latest first. */
  readonly actors?: readonly string[];
}

export function grantEventData({ grantId, clientId, authorization }: Grant): GrantEventData {
  const { scopes, userId, actor } = authorization;
  return { clientId, grantId, scopes, userId, actors: actor && actorNames(actor) };
}
