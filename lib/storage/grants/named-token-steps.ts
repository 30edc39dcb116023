import type { Grant } from '../../core/grants/grant.js';
import type { NamedTokenGrants, TokensOf } from '../../core/grants/grant-store.js';
import { NAMED_GRANT_TYPES } from '../../core/grants/named-token.js';
import type { Collection } from '../connection/collection.js';
import { setOrUnset } from '../connection/query-helpers.js';
import { type GrantDocument, live, NOT_BLOCKED, toGrant } from './grant-document.js';

const isNamed = { namedToken: { $exists: true } };
const isBlocked = { blockedAt: { $exists: true } };

/** What happens to tokens that users make for their programs; a part of the store of grants. */
export function createNamedTokenGrants(
  grants: Collection<GrantDocument>,
): Omit<NamedTokenGrants, 'insertNamedToken' | 'leaveNamedTokens'> {
  /** Changes a grant by one conditional update; the result is the grant as it is then. */
  const change = async (filter: object, update: object): Promise<Grant | null> => {
    const changed = await grants.findOneAndUpdate(filter as never, update as never);
    return changed && toGrant(changed);
  };

  return {
    async listNamedTokens(of, now, limit) {
      const tokens = await grants.find({ ...listed(of), ...live(now) }, { sort: { createdAt: -1 }, limit });
      return tokens.map(toGrant);
    },
    countNamedTokens: (of, now, limit) => grants.count({ ...listed(of), ...live(now) }, limit),
    async findNamedToken(id, of, now) {
      const [token] = await grants.find({ _id: id, ...owned(of), ...live(now) }, { limit: 1 });
      return token ? toGrant(token) : null;
    },
    async findNamedTokens(ids) {
      return (await grants.find({ _id: { $in: [...ids] }, ...isNamed })).map(toGrant);
    },
    rotateNamedToken: ({ grantId, rotations }, { accessTokens, expiresAt, remindAt, now }) =>
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
    // the list as it was read: of two steps at once the second changes nothing, so nothing comes back
    narrowNamedToken: ({ grantId, scopes }, left, now) =>
      grants.updateOne(
        { _id: grantId, ...isNamed, 'authorization.scopes': scopes, ...live(now) },
        { $set: { 'authorization.scopes': left } },
      ),
    revokeNamedToken: (id, of, now) =>
      change({ _id: id, ...owned(of), ...live(now) }, { $set: { revokedAt: now } }),
    revokeLeakedToken: ({ grantId, hash }, now) =>
      change(
        {
          _id: grantId,
          ...isNamed,
          accessTokens: { $elemMatch: { hash, expiresAt: { $gt: now } } },
          ...live(now),
        },
        { $set: { revokedAt: now } },
      ),
    async noteNamedTokenUse(grantId, { day, address }) {
      await grants.updateOne(
        { _id: grantId, ...isNamed },
        {
          $max: { 'namedToken.lastUsedOn': day },
          ...(address !== undefined && { $set: { 'namedToken.lastUsedFrom': address } }),
        },
      );
    },

    // what an administrator does to a token
    blockNamedToken: (id, { reason, now }) =>
      change(
        { _id: id, ...isNamed, ...NOT_BLOCKED, ...live(now) },
        { $set: { blockedAt: now, 'namedToken.blockedFor': reason } },
      ),
    async explainBlock(id, reason, now) {
      await grants.updateOne(
        { _id: id, ...isNamed, ...isBlocked, ...live(now) },
        { $set: { 'namedToken.blockedFor': reason } },
      );
    },
    unblockNamedToken: (id, now) =>
      change(
        { _id: id, ...isNamed, ...isBlocked, ...live(now) },
        { $unset: { blockedAt: '', 'namedToken.blockedFor': '' } },
      ),

    // the people who look after a service token
    setNamedTokenOwners: ({ grantId, ownerChanges }, { owners, invitations }, now) =>
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
    async listInvitedTokens(userId, now, limit) {
      const invited = { 'namedToken.invitations.userId': userId, ...live(now) };
      return (await grants.find(invited, { limit })).map(toGrant);
    },

    // what happens before a token expires
    async leaseExpiring({ now, until }, limit) {
      const due = { 'namedToken.remindAt': { $lte: now }, ...live(now) };
      const leased: Grant[] = [];
      for (const document of await grants.find(due, { limit }))
        if (await grants.updateOne({ ...due, _id: document._id }, { $set: { 'namedToken.remindAt': until } }))
          leased.push(toGrant(document));
      return leased;
    },
    async endReminder({ grantId, until }) {
      // a token that was replaced since has a date of its own
      await grants.updateOne(
        { _id: grantId, 'namedToken.remindAt': until },
        { $unset: { 'namedToken.remindAt': '' } },
      );
    },
  };
}

/** Takes a person out of all service tokens (`NamedTokenGrants`). */
export const leavingNamedTokens =
  (grants: Collection<GrantDocument>): NamedTokenGrants['leaveNamedTokens'] =>
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
    // a step that has read the owners before this changes nothing
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
function listed(of: TokensOf): Readonly<Record<string, unknown>> {
  if ('ownerId' in of) return { 'namedToken.owners': of.ownerId };
  const { personal } = NAMED_GRANT_TYPES;
  // ';' comes after ':'
  return { userId: of.userId, clientId: { $gte: `${personal}:`, $lt: `${personal};` } };
}

/** The condition that keeps everybody else's tokens out; code may name any. */
function owned(of: TokensOf | undefined): Readonly<Record<string, unknown>> {
  if (of === undefined) return isNamed;
  return 'ownerId' in of
    ? { 'namedToken.owners': of.ownerId, grantType: NAMED_GRANT_TYPES.service }
    : { userId: of.userId, grantType: NAMED_GRANT_TYPES.personal };
}
