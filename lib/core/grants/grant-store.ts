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
  StoredAccessToken,
  StoredExchangedToken,
  TokenOfClient,
  TokenWrite,
} from './grant.js';
import type { NamedToken } from './named-token.js';

/** A grant as it was before a step, so that the step can be undone. */
export type GrantBefore = Pick<Grant, 'grantId' | 'refreshToken' | 'resend' | 'renewedAt' | 'expiresAt'>;

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

/** Whose tokens: those that act for a user, or the service tokens that a user looks after. */
export type TokensOf = { readonly userId: string } | { readonly ownerId: string };

/** Tokens that users make for their own programs; each step that changes one is one conditional update. */
export interface NamedTokenGrants {
  /** False if there is one with this id. */
  insertNamedToken(grant: Grant): Promise<boolean>;
  /** The live ones, the newest first. */
  listNamedTokens(of: TokensOf, now: Date, limit: number): Promise<readonly Grant[]>;
  /** How many are live, counted up to `limit`. */
  countNamedTokens(of: TokensOf, now: Date, limit: number): Promise<number>;
  /** A live one; null if there is none, or if it is somebody else's. Without `of` it may be anybody's. */
  findNamedToken(id: string, of: TokensOf | undefined, now: Date): Promise<Grant | null>;
  /** Those with these ids, whether they have ended or not; in one command. */
  findNamedTokens(ids: readonly string[]): Promise<readonly Grant[]>;
  /** Replaces the values of a token; false if it was replaced since it was read, or has ended. */
  rotateNamedToken(
    read: { readonly grantId: string; readonly rotations: number },
    next: {
      readonly accessTokens: readonly StoredAccessToken[];
      readonly expiresAt: Date;
      readonly remindAt: Date | undefined;
      readonly now: Date;
    },
  ): Promise<boolean>;
  /**
   * Leases the tokens whose reminder is due. Each goes to one caller. If that caller does not call `endReminder` before
   * `until`, because its process was killed, the token goes to another one.
   */
  leaseExpiring(
    lease: { readonly now: Date; readonly until: Date },
    limit: number,
  ): Promise<readonly Grant[]>;
  /** Called once the reminder is stored; the token is not leased again. */
  endReminder(lease: { readonly grantId: string; readonly until: Date }): Promise<void>;
  /** Leaves these scopes; false if they were changed since the token was read, or it has ended. */
  narrowNamedToken(
    read: { readonly grantId: string; readonly scopes: readonly string[] },
    left: readonly string[],
    now: Date,
  ): Promise<boolean>;
  /**
   * Sets the owners and the invitations of a service token; false if they were changed since the token was read, or if
   * the token has ended.
   */
  setNamedTokenOwners(
    read: { readonly grantId: string; readonly ownerChanges: number },
    next: Pick<NamedToken, 'owners' | 'invitations'>,
    now: Date,
  ): Promise<boolean>;
  /** The live service tokens with an invitation for a person. */
  listInvitedTokens(userId: string, now: Date, limit: number): Promise<readonly Grant[]>;
  /**
   * Takes a user out of the owners, the inviters and the invited of all service tokens. A token that nobody else looks
   * after goes to the heir; without one it ends. Says the ids of the tokens that the user looked after.
   */
  leaveNamedTokens(
    userId: string,
    how: { readonly heir: string | undefined; readonly now: Date; readonly dryRun?: boolean },
  ): Promise<Readonly<Record<'ended' | 'transferred' | 'left', readonly string[]>>>;
  /** Blocks a token, with all its values, until it is unblocked; null if it is blocked, or has ended. */
  blockNamedToken(
    id: string,
    block: { readonly reason: string | undefined; readonly now: Date },
  ): Promise<Grant | null>;
  explainBlock(id: string, reason: string, now: Date): Promise<void>;
  /** Unblocks a token; null if it is not blocked, or has ended. */
  unblockNamedToken(id: string, now: Date): Promise<Grant | null>;
  /** Ends a token; gives what has ended, or null if there is none, it has ended before, or is somebody else's. */
  revokeNamedToken(id: string, of: TokensOf | undefined, now: Date): Promise<Grant | null>;
  /** Ends the token with this value; null if no live token has it. */
  revokeLeakedToken(presented: PresentedToken, now: Date): Promise<Grant | null>;
  noteNamedTokenUse(
    id: string,
    use: { readonly day: Date; readonly address?: string | undefined },
  ): Promise<void>;
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

/** What became of a step whose answer was lost, and undoing steps whose tokens were given to nobody. */
export interface UndoSteps {
  /**
   * Whether these tokens are stored in a grant that is live, as the majority of the database knows; false also if
   * newer access tokens have pushed them out.
   */
  confirmTokens(grant: Pick<Grant, 'grantId'>, tokens: TokenWrite): Promise<boolean>;
  /**
   * Undoes the redemption of a code, of a device or not, whose tokens were given to nobody: it can be redeemed again.
   * False if it was not redeemed, the response was sent again or the tokens refreshed since, or the grant is revoked.
   */
  undoFirstTokens(grant: GrantBefore, tokens: TokenWrite): Promise<boolean>;
  /**
   * Undoes a rotation whose tokens were given to nobody: the previous refresh token is the current one again. False if
   * it was not done, was sent again (`markResent`) or refreshed since, or the grant is revoked.
   */
  undoRotation(grant: GrantBefore, tokens: TokenWrite): Promise<boolean>;
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
export interface GrantStore
  extends ClientGrants, DeviceGrants, ExchangeGrants, RefreshGrants, UndoSteps, NamedTokenGrants {
  insert(grant: Grant): Promise<void>;
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
  /** How many grants of a client are live, counted up to `limit`. */
  countLive(clientId: string, limit: number, now: Date): Promise<number>;
  /**
   * The clients whose tokens work for this user, or whose device may still come for some; those that were given tokens
   * last, or were connected last, first. With `among` only those of these clients.
   */
  listConnected(
    userId: string,
    now: Date,
    list: ListOrder & { readonly among?: readonly string[] },
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

/**
 * Finds the grant of a user code: the code is the only key that a user has, and the grant has another one.
 *
 * @see RFC 8628 §3.2
 */
export interface UserCodeStore {
  /** False if another device has this code at the moment. */
  reserve(hash: string, grantId: string, expiresAt: Date): Promise<boolean>;
  findGrantId(hash: string): Promise<string | null>;
}
