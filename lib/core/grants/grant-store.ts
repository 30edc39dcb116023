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

/** A grant as it was before a step, so that the step can be undone. */
export type GrantBefore = Pick<
  Grant,
  'grantId' | 'refreshToken' | 'resend' | 'renewedAt' | 'expiresAt' | 'code' | 'device'
>;

/** A code that is redeemed once: an authorization code, or that of a device. */
export interface RedeemedCode {
  readonly kind: 'code' | 'device';
  readonly hash: string;
}

/** Which grants; each member that is present has to match, and without any it is all of them. */
export interface GrantFilter {
  readonly userId?: string;
  readonly clientId?: string;
  /** Those with one of these scopes. */
  readonly scopes?: readonly string[] | undefined;
  readonly kind?: TokenKind | undefined;
  readonly issuedBefore?: Date | undefined;
}

/** Where grants are kept, as far as the core calls it; each operation is atomic. */
export interface GrantStore extends ClientGrants {
  /** False if there is one with this id. */
  insert(grant: Grant): Promise<boolean>;
  find(id: string): Promise<Grant | null>;
  /**
   * The grant of a code for its first redemption: as this process stored it, else read from the database. Either way it
   * may have been revoked or redeemed meanwhile; `redeemCode` decides.
   */
  findOfCode(id: string): Promise<Grant | null>;
  /** The grant of an access token as it is; if it lets that token in, it may be as the guard remembers it. */
  findForGuard(presented: PresentedToken): Promise<GuardedGrant | null>;

  /**
   * Uses up the code and stores its tokens; false if it was used, has expired or was revoked meanwhile, or if it is of a
   * device that the user has not allowed.
   */
  redeemCode(grant: GrantBefore, code: RedeemedCode, tokens: TokenWrite): Promise<boolean>;
  /** Ends the grant of a code that is presented again (RFC 6749 §4.1.2); false if it was not used before. */
  revokeReplayedCode(id: string, code: RedeemedCode, now: Date): Promise<boolean>;
  /**
   * Counts a poll of a client's device, and makes its interval longer if it came too soon. Gives the grant as it is
   * now, or null.
   */
  pollDeviceCode(device: TokenOfClient, now: Date): Promise<Grant | null>;

  /**
   * Stores the tokens of a refresh: the current refresh token is replaced, or stays if `tokens` has it again. False if
   * it is no longer the current one, or is expired, revoked or blocked.
   */
  storeRefresh(grant: GrantBefore, refreshToken: RefreshTokenHashes, tokens: TokenWrite): Promise<boolean>;
  /**
   * Notes that the response to the rotation of this refresh token is sent again; false if that was not the last
   * rotation, or the grant is revoked.
   */
  markResent(id: string, refreshTokenHash: string): Promise<boolean>;
  /** Ends the resending of a response whose access token is used: the response has arrived. */
  endResend(id: string, accessTokenHash: string): Promise<boolean>;
  /**
   * Ends the grant of a refresh token that was replaced earlier, even many rotations ago (RFC 9700 §4.14.2); false if
   * it is the current one, or not one of this grant.
   */
  revokeReusedRefreshToken(id: string, refreshToken: RefreshTokenHashes, now: Date): Promise<boolean>;
  /**
   * Ends the grant of a client's refresh token, used or current (RFC 7009 §2.1); false if it is not one of that
   * client, or the grant has ended before.
   */
  revokeByRefreshToken(token: TokenOfClient & RefreshTokenHashes, now: Date): Promise<boolean>;

  /**
   * Stores a token that was given in exchange for a live one of the same grant (RFC 8693); false if that one, or the
   * grant, has ended meanwhile. A grant keeps a bounded number: the oldest goes first.
   */
  exchangeToken(subject: PresentedToken, exchanged: StoredExchangedToken, now: Date): Promise<boolean>;
  /** Uses up details of a grant, by their places; false if one of them was used, or the grant has ended. */
  useDetails(grant: Pick<Grant, 'grantId'>, places: readonly number[]): Promise<boolean>;

  /**
   * Ends all grants that match, in batches; says how many. After a crash the next call ends the rest. If all of a client
   * end, the tokens that came through it in grants of others end as well.
   */
  revokeAll(
    of: GrantFilter,
    now: Date,
    how?: {
      /** Whether only to count. Default: `false`. */
      readonly dryRun?: boolean;
      /** Called after each batch with the count so far. */
      readonly onProgress?: ((count: number) => void) | undefined;
    },
  ): Promise<number>;
  /**
   * Takes a user out of the owners, the inviters and the invited of all service tokens. A token that nobody else looks
   * after goes to the heir; without one it ends. Says the ids of the tokens that the user looked after.
   */
  leaveNamedTokens(
    userId: string,
    how: { readonly heir: string | undefined; readonly now: Date; readonly dryRun?: boolean },
  ): Promise<Readonly<Record<'ended' | 'transferred' | 'left', readonly string[]>>>;
}
