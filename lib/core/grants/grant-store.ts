import type { Choices, ChoiceValue } from '../../settings/options/choice-options.js';
import type { PresentedToken } from '../../shared/crypto/secrets.js';
import type { AuthorizationDetail } from '../../shared/protocol/authorization-details.js';
import type { TokenKind } from '../../shared/protocol/token-kind.js';
import type { ClientGrants } from '../clients/client-store.js';
import type { UserAuthentication } from '../sessions/user-authentication.js';
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

export interface DeviceDecision {
  readonly decision: 'allow' | 'deny';
  readonly userId: string;
  readonly scopes: readonly string[];
  /** Absent if none were asked for. */
  readonly authorizationDetails?: readonly AuthorizationDetail[];
  readonly choices?: Choices;
  readonly endsAt?: Date;
  /** When and how the user has logged in; absent if tokens do not say it. */
  readonly authentication?: UserAuthentication | undefined;
}

export interface DeviceGrants {
  /**
   * Counts a poll of a client's device, and makes its interval longer if it came too soon. Gives the grant as it is
   * now, or null.
   */
  pollDeviceCode(device: TokenOfClient, now: Date): Promise<Grant | null>;
  /** Stores the user's decision; false if somebody has decided before, or the code has expired or was revoked. */
  decideDeviceCode(id: string, decision: DeviceDecision, now: Date): Promise<boolean>;
}

export interface RefreshGrants {
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
}

/** A user at a client, in whichever grants. */
export interface UserAtClient {
  readonly userId: string;
  readonly clientId: string;
}

/** The steps of exchanged tokens in the grant that they came of (RFC 8693). */
export interface ExchangeGrants {
  /**
   * Stores a token that was given in exchange for a live one of the same grant; false if that one, or the grant, has
   * ended meanwhile. A grant keeps a bounded number: the oldest goes first.
   */
  exchangeToken(subject: PresentedToken, exchanged: StoredExchangedToken, now: Date): Promise<boolean>;
  /** Who got tokens of a user's live grants at a client by exchange, with the latest date of each. */
  findExchangers(of: UserAtClient, now: Date): Promise<readonly Acting[]>;
  /** Who acts by the live grants themselves, as an assertion has named them. */
  findActors(of: UserAtClient, now: Date): Promise<readonly Acting[]>;
}

export interface Acting {
  /** A client id, or a name that an issuer has given. */
  readonly name: string;
  readonly at: Date;
}

/** A client that has access to a user's account now: its live grants, put together. */
export interface ConnectedClient {
  readonly clientId: string;
  readonly since: Date;
  /** When it was last given tokens; absent if it has none yet. */
  readonly renewedAt?: Date;
  /** Whether a device was allowed that has not come for its tokens yet (RFC 8628 §3.5). */
  readonly hasWaitingDevice: boolean;
  readonly scopes: readonly (readonly string[])[];
  readonly grantTypes: readonly string[];
  /** Of each grant (RFC 8707). */
  readonly resources: readonly (readonly string[])[];
}

/** The ids of a list in its order, each with the date that it has there. */
export interface DatedIds {
  readonly ids: readonly string[];
  readonly dates: readonly Date[];
}

/** A list of at most `limit`, in an order: those that were last in use, or were connected last, first. */
export interface ListOrder {
  readonly limit: number;
  readonly by: 'renewed' | 'since';
}

/** The scopes that a client loses, each with those it includes that stay. */
export type LostScopes = ReadonlyMap<string, readonly string[]>;

export interface ChangedChoice {
  readonly name: string;
  readonly value: ChoiceValue;
  /** Whether only greater picks are changed, as for numbers and lifetimes. */
  readonly isMax: boolean;
  /** When everything ends at the latest, including tokens that were already issued. */
  readonly endsAt?: Date;
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

/** Where grants are kept; each operation is atomic. */
export interface GrantStore extends ClientGrants, DeviceGrants, ExchangeGrants, RefreshGrants {
  /** False if there is one with this id. */
  insert(grant: Grant): Promise<boolean>;
  /** Deletes a grant of which nobody has a code or token yet. */
  remove(id: string): Promise<unknown>;
  /** Inserts several in one command; some may exist already. */
  insertAll(grants: readonly Grant[]): Promise<void>;
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
  /** Ends one access token of a client, and what was exchanged for it; false if it is not one of that client. */
  revokeAccessToken(token: TokenOfClient): Promise<boolean>;
  /** Uses up details of a grant, by their places; false if one of them was used, or the grant has ended. */
  useDetails(grant: Pick<Grant, 'grantId'>, places: readonly number[]): Promise<boolean>;
  /**
   * Ends the grants that come from a user's sign-ins, in one session or all, at one client or all, except those for
   * offline access (OpenID Connect Back-Channel Logout §2.7). Says how many.
   */
  endSignIn(
    of: {
      readonly userId: string;
      readonly sid?: string | undefined;
      readonly clientId?: string | undefined;
    },
    now: Date,
  ): Promise<number>;
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
   * Removes scopes from all grants of a user at a client, and ends those whose codes were not redeemed; says how many
   * grants have fewer.
   */
  revokeScopes(of: UserAtClient, lost: LostScopes, now: Date): Promise<number>;
  /**
   * Replaces what was picked in all grants of a user at a client that have that choice, and ends those whose codes were
   * not redeemed; says how many grants have changed.
   */
  changeChoices(of: UserAtClient, rebound: ChangedChoice, now: Date): Promise<number>;
  /**
   * Takes a user out of the owners, the inviters and the invited of all service tokens. A token that nobody else looks
   * after goes to the heir; without one it ends. Says the ids of the tokens that the user looked after.
   */
  leaveNamedTokens(
    userId: string,
    how: { readonly heir: string | undefined; readonly now: Date; readonly dryRun?: boolean },
  ): Promise<Readonly<Record<'ended' | 'transferred' | 'left', readonly string[]>>>;
  /** How many grants of a client are live, counted up to `limit`. */
  countLive(clientId: string, limit: number, now: Date): Promise<number>;
  /**
   * The clients whose tokens work for this user, or whose device may still come for some; those that were given tokens
   * last, or were connected last, first. With `among` only those of these clients.
   */
  listConnected(
    userId: string,
    now: Date,
    list: ListOrder & { readonly among?: readonly string[] | undefined },
  ): Promise<DatedIds>;
  /** The clients at which a user has grants, ended ones included, in no order. An index alone gives these. */
  listClients(userId: string, limit: number): Promise<readonly string[]>;
  /** Those of these clients that are connected, in no order. */
  findConnectedClients(
    userId: string,
    clientIds: readonly string[],
    now: Date,
  ): Promise<readonly ConnectedClient[]>;
}
