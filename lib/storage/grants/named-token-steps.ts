import type { Grant } from '../../core/grants/grant.js';
import type { GrantStore } from '../../core/grants/grant-store.js';
import { NAMED_GRANT_TYPES, type NamedToken } from '../../core/grants/named-token.js';
import type { PresentedToken } from '../../shared/crypto/secrets.js';
import type { Collection, Filter } from '../connection/collection.js';
import { setOrUnset } from '../connection/query-helpers.js';
import { type GrantDocument, live, NOT_BLOCKED, toGrant } from './grant-document.js';

const isNamed = { namedToken: { $exists: true } };
const isBlocked = { blockedAt: { $exists: true } };

/** Selects tokens: those that act for a user, or the service tokens that a user owns. */
export type TokensOf = { readonly userId: string } | { readonly ownerId: string };

/**
 * Updates of tokens that users make for their programs; a part of the grant store. Each change of a token is one
 * conditional update.
 */
export function createNamedTokenGrants(grants: Collection<GrantDocument>) {
  /** Changes a grant by one conditional update; returns the changed grant. */
  const change = async (filter: Filter, update: Filter): Promise<Grant | null> => {
    const changed = await grants.findOneAndUpdate(filter, update);
    return changed && toGrant(changed);
  };
  const list = async (...query: Parameters<typeof grants.find>): Promise<readonly Grant[]> =>
    (await grants.find(...query)).map(toGrant);

  return {
    /** The live tokens, the newest first. */
    listNamedTokens: (of: TokensOf, now: Date, limit: number) =>
      list({ ...listed(of), ...live(now) }, { sort: { createdAt: -1 }, limit }),
    /** The number of live tokens, up to `limit`. */
    countNamedTokens: (of: TokensOf, now: Date, limit: number) =>
      grants.count({ ...listed(of), ...live(now) }, limit),
    /** A live token; null if there is none, or it belongs to somebody else. Without `of` it may belong to anybody. */
    findNamedToken: async (id: string, of: TokensOf | undefined, now: Date) =>
      (await list({ _id: id, ...owned(of), ...live(now) }, { limit: 1 }))[0] ?? null,
    /** The tokens with these ids, live or ended; in one command. */
    findNamedTokens: (ids: readonly string[]) => list({ _id: { $in: [...ids] }, ...isNamed }),
    /** Replaces the values of a token; false if it was replaced since it was read, or has ended. */
    rotateNamedToken: (
      { grantId, rotations }: { readonly grantId: string; readonly rotations: number },
      {
        accessTokens,
        expiresAt,
        remindAt,
        now,
      }: Pick<Grant, 'accessTokens' | 'expiresAt'> & Pick<NamedToken, 'remindAt'> & { readonly now: Date },
    ) =>
      grants.updateOne(
        { _id: grantId, 'namedToken.rotations': rotations, ...NOT_BLOCKED, ...live(now) },
        setOrUnset({
          accessTokens,
          expiresAt,
          renewedAt: now,
          'namedToken.rotations': rotations + 1,
          'namedToken.remindAt': remindAt,
        }),
      ),
    /**
     * Narrows the scopes of a token; false if they were changed since the token was read, or it has ended: of two
     * concurrent changes the second has no effect, so no scope comes back.
     */
    narrowNamedToken: (
      { grantId, scopes }: { readonly grantId: string; readonly scopes: readonly string[] },
      left: readonly string[],
      now: Date,
    ) =>
      grants.updateOne(
        { _id: grantId, ...isNamed, 'authorization.scopes': scopes, ...live(now) },
        { $set: { 'authorization.scopes': left } },
      ),
    /** Ends a token and returns it; null if there is none, it has ended before, or belongs to somebody else. */
    revokeNamedToken: (id: string, of: TokensOf | undefined, now: Date) =>
      change({ _id: id, ...owned(of), ...live(now) }, { $set: { revokedAt: now } }),
    /** Ends the token with this value; null if no live token has it. */
    revokeLeakedToken: ({ grantId, hash }: PresentedToken, now: Date) =>
      change(
        {
          _id: grantId,
          ...isNamed,
          accessTokens: { $elemMatch: { hash, expiresAt: { $gt: now } } },
          ...live(now),
        },
        { $set: { revokedAt: now } },
      ),
    async noteNamedTokenUse(
      grantId: string,
      { day, address }: { readonly day: Date; readonly address: string | undefined },
    ): Promise<void> {
      await grants.updateOne(
        { _id: grantId, ...isNamed },
        {
          $max: { 'namedToken.lastUsedOn': day },
          ...(address !== undefined && { $set: { 'namedToken.lastUsedFrom': address } }),
        },
      );
    },

    /** Blocks a token, with all its values, until it is unblocked; null if it is blocked, or has ended. */
    blockNamedToken: (
      id: string,
      { reason, now }: { readonly reason: string | undefined; readonly now: Date },
    ) =>
      change(
        { _id: id, ...isNamed, ...NOT_BLOCKED, ...live(now) },
        { $set: { blockedAt: now, 'namedToken.blockedFor': reason } },
      ),
    async explainBlock(id: string, reason: string, now: Date): Promise<void> {
      await grants.updateOne(
        { _id: id, ...isNamed, ...isBlocked, ...live(now) },
        { $set: { 'namedToken.blockedFor': reason } },
      );
    },
    /** Unblocks a token; null if it is not blocked, or has ended. */
    unblockNamedToken: (id: string, now: Date) =>
      change(
        { _id: id, ...isNamed, ...isBlocked, ...live(now) },
        { $unset: { blockedAt: '', 'namedToken.blockedFor': '' } },
      ),

    /**
     * Sets the owners and the invitations of a service token; false if they were changed since the token was read, or if
     * the token has ended.
     */
    setNamedTokenOwners: (
      { grantId, ownerChanges }: { readonly grantId: string; readonly ownerChanges: number },
      { owners, invitations }: Pick<NamedToken, 'owners' | 'invitations'>,
      now: Date,
    ) =>
      grants.updateOne(
        {
          _id: grantId,
          'namedToken.owners': { $exists: true },
          'namedToken.ownerChanges': ownerChanges === 0 ? { $exists: false } : ownerChanges,
          ...live(now),
        },
        setOrUnset({
          'namedToken.owners': owners,
          'namedToken.ownerChanges': ownerChanges + 1,
          'namedToken.invitations': invitations,
        }),
      ),
    /** The live service tokens with an invitation for a user. */
    listInvitedTokens: (userId: string, now: Date, limit: number) =>
      list({ 'namedToken.invitations.userId': userId, ...live(now) }, { limit }),

    /**
     * Leases the tokens whose reminder is due, each to one caller. If that caller does not call `endReminder` before
     * `until`, because its process was killed, another caller gets the token.
     */
    async leaseExpiring(
      { now, until }: { readonly now: Date; readonly until: Date },
      limit: number,
    ): Promise<readonly Grant[]> {
      const due = { 'namedToken.remindAt': { $lte: now }, ...live(now) };
      const leased: Grant[] = [];
      for (const document of await grants.find(due, { limit }))
        if (await grants.updateOne({ ...due, _id: document._id }, { $set: { 'namedToken.remindAt': until } }))
          leased.push(toGrant(document));
      return leased;
    },
    /** Called once the reminder is stored; the token is not leased again. */
    async endReminder({ grantId, until }: { readonly grantId: string; readonly until: Date }): Promise<void> {
      // a token that was replaced since has a reminder of its own
      await grants.updateOne(
        { _id: grantId, 'namedToken.remindAt': until },
        { $unset: { 'namedToken.remindAt': '' } },
      );
    },
  };
}

/** Removes a user from all service tokens. */
export const leavingNamedTokens =
  (grants: Collection<GrantDocument>): GrantStore['leaveNamedTokens'] =>
  async (userId, { heir, now, dryRun = false }) => {
    const tokens = await grants.find(
      { 'namedToken.owners': userId, ...live(now) },
      { projection: { namedToken: 1 } },
    );
    const isLast = ({ namedToken }: GrantDocument) => namedToken?.owners?.every((owner) => owner === userId);
    const last = tokens.filter(isLast).map(({ _id }) => _id);
    const result = {
      ended: heir === undefined ? last : [],
      transferred: heir === undefined ? [] : last,
      left: tokens.filter((token) => !isLast(token)).map(({ _id }) => _id),
    };
    if (dryRun) return result;
    const others = {
      $filter: {
        input: '$namedToken.owners',
        as: 'owner',
        cond: { $ne: ['$$owner', { $literal: userId }] },
      },
    };
    // makes updates that read the owners before this one fail
    const ownerChanges = { $add: [{ $ifNull: ['$namedToken.ownerChanges', 0] }, 1] };
    const isEmpty = { $eq: ['$namedToken.owners', []] };
    await grants.updateMany({ 'namedToken.owners': userId }, [
      { $set: { 'namedToken.owners': others, 'namedToken.ownerChanges': ownerChanges } },
      {
        $set:
          heir === undefined
            ? { revokedAt: { $ifNull: ['$revokedAt', { $cond: [isEmpty, now, '$$REMOVE'] }] } }
            : { 'namedToken.owners': { $cond: [isEmpty, [{ $literal: heir }], '$namedToken.owners'] } },
      },
    ]);
    for (const person of ['userId', 'invitedBy'])
      await grants.updateMany(
        { [`namedToken.invitations.${person}`]: userId },
        {
          $pull: { 'namedToken.invitations': { [person]: userId } },
          $inc: { 'namedToken.ownerChanges': 1 },
        },
      );
    return result;
  };

/** The condition by which the index finds a list: the client ids of such tokens begin with their grant type. */
function listed(of: TokensOf): Filter {
  if ('ownerId' in of) return { 'namedToken.owners': of.ownerId };
  const { personal } = NAMED_GRANT_TYPES;
  // ';' is the successor of ':'
  return { userId: of.userId, clientId: { $gte: `${personal}:`, $lt: `${personal};` } };
}

/** The condition that excludes other owners' tokens; code may select any. */
function owned(of: TokensOf | undefined): Filter {
  if (of === undefined) return isNamed;
  return 'ownerId' in of
    ? { 'namedToken.owners': of.ownerId, grantType: NAMED_GRANT_TYPES.service }
    : { userId: of.userId, grantType: NAMED_GRANT_TYPES.personal };
}
