import type { PresentedToken } from '../crypto/secrets.js';
import type { AuthorizationDetail } from '../protocol/authorization-details.js';
import type { Choices, ChoiceValue } from '../settings/choice-options.js';
import type { Grant, GuardedGrant, RefreshTokenHashes, TokenOfClient, TokenWrite } from './grant.js';

/** A grant as it was before a step, so that the step can be taken back. */
export type GrantBefore = Pick<Grant, 'grantId' | 'refreshToken' | 'resend' | 'renewedAt' | 'expiresAt'>;

/** The person's decision on a device, with the scopes that are allowed. */
export interface DeviceDecision {
  readonly decision: 'allow' | 'deny';
  readonly userId: string;
  readonly scopes: readonly string[];
  /** Absent if none were asked for. */
  readonly authorizationDetails?: readonly AuthorizationDetail[];
  readonly choices?: Choices;
  readonly endsAt?: Date;
}

/** What a device's authorization does to its grant. */
export interface DeviceGrants {
  /**
   * Counts a poll of a client's device and makes its interval longer where it came too soon; the grant as it
   * is now, or null.
   */
  pollDeviceCode(device: TokenOfClient, now: Date): Promise<Grant | null>;
  /**
   * Writes down what the person decided; false where somebody has decided before, or the code has expired or
   * was revoked.
   */
  decideDeviceCode(id: string, decision: DeviceDecision, now: Date): Promise<boolean>;
  /**
   * Uses the code of an allowed device up and stores its tokens; false if it was used, has expired or was
   * revoked meanwhile.
   */
  redeemDeviceCode(grant: GrantBefore, codeHash: string, tokens: TokenWrite): Promise<boolean>;
  /** Ends the grant of a device code that is presented again; false if it was not used before. */
  revokeReplayedDeviceCode(id: string, codeHash: string, now: Date): Promise<boolean>;
}

/** What refresh tokens do to their grant. */
export interface RefreshGrants {
  /** Puts new tokens in the place of the current refresh token; false if it is no longer the current one. */
  rotateRefreshToken(
    grant: GrantBefore,
    refreshToken: RefreshTokenHashes,
    tokens: TokenWrite,
  ): Promise<boolean>;
  /**
   * Notes that the response of the rotation of this refresh token is sent again; false if it was not the last one, or
   * the grant is revoked.
   */
  markResent(id: string, refreshTokenHash: string): Promise<boolean>;
  /**
   * Ends the grant of a refresh token that was replaced before, however often since (RFC 9700 §4.14.2); false if it
   * is the current one or none of this grant.
   */
  revokeReusedRefreshToken(id: string, refreshToken: RefreshTokenHashes, now: Date): Promise<boolean>;
  /**
   * Ends the grant of a client's refresh token, used or current (RFC 7009 §2.1); false if it is not one of
   * that client.
   */
  revokeByRefreshToken(token: TokenOfClient & RefreshTokenHashes, now: Date): Promise<boolean>;
}

/** What takes a step back whose tokens nobody was given. */
export interface TakeBacks {
  /**
   * Takes back that a code, of a device or not, was used up for tokens that nobody was given: it can be redeemed again.
   * False if it was not done, was sent again or refreshed since, or the grant is revoked.
   */
  takeBackFirstTokens(grant: GrantBefore, tokens: TokenWrite): Promise<boolean>;
  /**
   * Takes a rotation back whose tokens nobody was given: the refresh token before is the current one again. False if
   * it was not done, was sent again (`markResent`) or refreshed since, or the grant is revoked.
   */
  takeBackRotation(grant: GrantBefore, tokens: TokenWrite): Promise<boolean>;
}

/** A client that has access to a user's account now: what its live grants come to. */
export interface ConnectedClient {
  readonly clientId: string;
  readonly since: Date;
  /** When it was last given tokens; absent if it has none yet. */
  readonly renewedAt?: Date;
  /** Whether a device was allowed that has not come for its tokens yet (RFC 8628 §3.5). */
  readonly hasWaitingDevice: boolean;
  /** Of each grant. */
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

/** A list of at most `limit`, in an order: those that were in use last, or are there since last, first. */
export interface ListOrder {
  readonly limit: number;
  readonly by: 'renewed' | 'since';
}

/** The clients among which to look. Default: all of the user's. */
export interface AmongClients {
  readonly among?: readonly string[];
}

/** What the newest grants of a client say of its use. */
export interface GrantUsage {
  readonly clientId: string;
  /** How many grants were looked at. */
  readonly grants: number;
  /** How many people have one that is not revoked. */
  readonly users: number;
  /** When the newest tokens were issued. */
  readonly lastIssuedAt: Date | null;
}

/** Scopes that somebody loses, each with what stays of those that it includes. */
export type LostScopes = ReadonlyMap<string, readonly string[]>;

/** What a person has picked instead. */
export interface ReboundChoice {
  readonly name: string;
  readonly value: ChoiceValue;
  /** Only where more was picked: of numbers and lifetimes. */
  readonly isMost: boolean;
  /** When everything ends at the latest, tokens that are out already among it. */
  readonly endsAt?: Date;
}

/** Where grants are kept; each operation is atomic. */
export interface GrantStore extends DeviceGrants, RefreshGrants, TakeBacks {
  insert(grant: Grant): Promise<void>;
  /** Inserts several in one command, of which some may be there already. */
  insertAll(grants: readonly Grant[]): Promise<void>;
  find(id: string): Promise<Grant | null>;
  /**
   * The grant of a code for its first redemption: as this process has stored it, else as it is. Either way it may have
   * been revoked or redeemed meanwhile; `redeemCode` decides.
   */
  findOfCode(id: string): Promise<Grant | null>;
  /** The grant of an access token as it is; where it lets that token in, perhaps as the guard remembers it. */
  findForGuard(presented: PresentedToken): Promise<GuardedGrant | null>;
  /** Uses the code up and stores its tokens; false if it was used, has expired or was revoked meanwhile. */
  redeemCode(grant: GrantBefore, codeHash: string, tokens: TokenWrite): Promise<boolean>;
  /** Ends the grant of a code that is presented again (RFC 6749 §4.1.2); false if it was not used before. */
  revokeReplayedCode(id: string, codeHash: string, now: Date): Promise<boolean>;
  /** Ends one access token of a client; false if it is not one of that client. */
  revokeAccessToken(token: TokenOfClient): Promise<boolean>;
  /**
   * Ends what a person has got by signing in, of one session or of all, at one client or at all, but for what they have
   * allowed for when they are away (OpenID Connect Back-Channel Logout §2.7). Says how many grants.
   */
  endSignIn(
    of: {
      readonly userId: string;
      readonly sid?: string | undefined;
      readonly clientId?: string | undefined;
    },
    now: Date,
  ): Promise<number>;
  /** Ends all grants of a user, of a client, or of a user at a client; says how many. */
  revokeAll(of: { readonly userId?: string; readonly clientId?: string }, now: Date): Promise<number>;
  /**
   * Takes scopes from all grants of a user at a client, and ends the codes among them that were not redeemed; says how
   * many grants have fewer.
   */
  narrowAll(
    of: { readonly userId: string; readonly clientId: string },
    lost: LostScopes,
    now: Date,
  ): Promise<number>;
  /**
   * Puts something else in the place of what was picked in all grants of a user at a client that have that choice, and
   * ends the codes among them that were not redeemed; says how many grants are others now.
   */
  rebindAll(
    of: { readonly userId: string; readonly clientId: string },
    rebound: ReboundChoice,
    now: Date,
  ): Promise<number>;
  /**
   * Marks all grants of a client as blocked: no token of them works, no code and no refresh token is taken, until
   * `unblockAll`. What was marked before stays.
   */
  blockAll(clientId: string, now: Date): Promise<void>;
  unblockAll(clientId: string): Promise<void>;
  /** How many grants of a client are live, as far as `limit`. */
  countLive(clientId: string, limit: number, now: Date): Promise<number>;
  /** The same of all clients whose ids are URLs of one origin's host, such as `https://agent.example`, at any port. */
  countLiveOfHost(origin: string, limit: number, now: Date): Promise<number>;
  /** How each of the clients was used lately, by its newest `limit` grants; a client without grants is not in it. */
  usageOf(clientIds: readonly string[], limit: number): Promise<GrantUsage[]>;
  /**
   * The clients whose tokens work for this user, or whose device may still come for some; those that were given tokens
   * last, or are connected since last, first.
   */
  listConnected(userId: string, now: Date, list: ListOrder & AmongClients): Promise<DatedIds>;
  /** The clients at which a user has grants, be they over; in no order. Those are found in an index alone. */
  listClients(userId: string, limit: number): Promise<readonly string[]>;
  /** What is connected of these clients, in no order. */
  findConnectedClients(
    userId: string,
    clientIds: readonly string[],
    now: Date,
  ): Promise<readonly ConnectedClient[]>;
}
