import type { PresentedToken } from '../../shared/crypto/secrets.js';
import type { TokenKind } from '../../shared/protocol/token-kind.js';
import type { ClientGrants } from '../clients/client-store.js';
import type {
  Grant,
  GuardedGrant,
  RefreshTokenHashes,
  StoredExchangedToken,
  TokenOfClient,
  TokenWrite,
} from './grant.js';

/** The grant before a write, so that the write can be undone. */
export type PreviousGrant = Pick<
  Grant,
  'grantId' | 'refreshToken' | 'resend' | 'renewedAt' | 'expiresAt' | 'code' | 'device'
>;

/** A code that is redeemed once: an authorization code or a device code. */
export interface RedeemedCode {
  readonly kind: 'code' | 'device';
  readonly hash: string;
}

/** Filters grants: every member that is present must match. An empty filter matches all grants. */
export interface GrantFilter {
  readonly userId?: string;
  readonly clientId?: string;
  /** Grants with at least one of these scopes. */
  readonly scopes?: readonly string[] | undefined;
  readonly kind?: TokenKind | undefined;
  readonly issuedBefore?: Date | undefined;
}

/** The store of grants, as far as the core calls it; each operation is atomic. */
export interface GrantStore extends ClientGrants {
  /** False if the store already has a grant with this id. */
  insert(grant: Grant): Promise<boolean>;
  find(id: string): Promise<Grant | null>;
  /**
   * The grant of a code at its first redemption, from the memory of this process or else from the database. Another
   * request may have revoked or redeemed the grant meanwhile; `redeemCode` decides.
   */
  findOfCode(id: string): Promise<Grant | null>;
  /** The current grant of an access token. A grant that admits the token may come from the guard's cache. */
  findForGuard(presented: PresentedToken): Promise<GuardedGrant | null>;

  /**
   * Uses up the code and stores its tokens. False if the code was used, has expired or was revoked meanwhile, or if the
   * user has not allowed the device of the code.
   */
  redeemCode(grant: PreviousGrant, code: RedeemedCode, tokens: TokenWrite): Promise<boolean>;
  /** Ends the grant of a code that is presented again (RFC 6749 §4.1.2); false if the code was not used before. */
  revokeReplayedCode(id: string, code: RedeemedCode, now: Date): Promise<boolean>;
  /**
   * Counts a poll of a client's device, and lengthens the interval if the poll came too soon. Returns the grant after
   * the poll, or null.
   */
  pollDeviceCode(device: TokenOfClient, now: Date): Promise<Grant | null>;

  /**
   * Stores the tokens of a refresh. `tokens` has a new refresh token, or the current one again to keep it. False if
   * `refreshToken` is no longer current, or is expired, revoked or blocked.
   */
  storeRefresh(grant: PreviousGrant, refreshToken: RefreshTokenHashes, tokens: TokenWrite): Promise<boolean>;
  /**
   * Records that the response to the rotation of this refresh token was sent again; false if a later rotation exists,
   * or the grant is revoked.
   */
  markResent(id: string, refreshTokenHash: string): Promise<boolean>;
  /** Ends the resending of a response: its access token was used, so the response has arrived. */
  endResend(id: string, accessTokenHash: string): Promise<boolean>;
  /**
   * Ends the grant of a refresh token that was replaced earlier, even many rotations ago (RFC 9700 §4.14.2); false if
   * the token is the current one, or belongs to another grant.
   */
  revokeReusedRefreshToken(id: string, refreshToken: RefreshTokenHashes, now: Date): Promise<boolean>;
  /**
   * Ends the grant of a client's refresh token, used or current (RFC 7009 §2.1); false if the token is not of that
   * client, or its grant has ended before.
   */
  revokeByRefreshToken(token: TokenOfClient & RefreshTokenHashes, now: Date): Promise<boolean>;

  /**
   * Stores a token that was issued in exchange for a live token of the same grant (RFC 8693); false if the live token
   * or the grant has ended meanwhile. A grant stores a bounded number of exchanged tokens: the oldest is dropped first.
   */
  exchangeToken(subject: PresentedToken, exchanged: StoredExchangedToken, now: Date): Promise<boolean>;
  /** Uses up authorization details, by their positions; false if one was used before, or the grant has ended. */
  useDetails(grant: Pick<Grant, 'grantId'>, places: readonly number[]): Promise<boolean>;

  /**
   * Ends all matching grants in batches; returns their number. After a crash the next call ends the rest. If every
   * grant of a client ends, the tokens that were exchanged through the client in other grants end as well.
   */
  revokeAll(
    of: GrantFilter,
    now: Date,
    how?: {
      /** Counts only. Default: `false`. */
      readonly dryRun?: boolean;
      /** Called after each batch with the count so far. */
      readonly onProgress?: ((count: number) => void) | undefined;
    },
  ): Promise<number>;
  /**
   * Removes a user from the owners, the inviters and the invited of all service tokens. A service token without another
   * owner goes to the heir; without an heir it ends. Returns the ids of the service tokens that the user owned.
   */
  leaveNamedTokens(
    userId: string,
    how: { readonly heir: string | undefined; readonly now: Date; readonly dryRun?: boolean },
  ): Promise<Readonly<Record<'ended' | 'transferred' | 'left', readonly string[]>>>;
}
