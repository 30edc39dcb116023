import type { Grant } from '../../core/grants/grant.js';
import type { NamedTokenGrants, TokensOf } from '../../core/grants/grant-store.js';
import { NAMED_GRANT_TYPES } from '../../core/grants/named-token.js';
import type { Collection } from '../connection/collection.js';
import { type GrantDocument, toGrant } from './grant-document.js';

/** What happens to tokens that users make for their own programs; a part of the store of grants. */
export function createNamedTokenGrants(
  grants: Collection<GrantDocument>,
): Omit<NamedTokenGrants, 'insertNamedToken'> {
  const change = changing(grants);

  return {
    ...reminderSteps(grants),
    ...blockSteps(grants),
    ...ownerSteps(grants),
    async listNamedTokens(of, now, limit) {
      const found = await grants.find({ ...listed(of), ...live(now) }, { sort: { createdAt: -1 }, limit });
      return found.map(toGrant);
    },
    countNamedTokens: (of, now, limit) => grants.count({ ...listed(of), ...live(now) }, limit),
    async findNamedToken(id, of, now) {
      const [found] = await grants.find({ _id: id, ...owned(of), ...live(now) }, { limit: 1 });
      return found ? toGrant(found) : null;
    },
    async findNamedTokens(ids) {
      const found = await grants.find({ _id: { $in: [...ids] }, namedToken: { $exists: true } });
      return found.map(toGrant);
    },
    rotateNamedToken: ({ grantId, rotations }, { accessTokens, expiresAt, remindAt, now }) =>
      grants.updateOne(
        { _id: grantId, 'namedToken.rotations': rotations, blockedAt: { $exists: false }, ...live(now) },
        {
          $set: {
            accessTokens,
            expiresAt,
            renewedAt: now,
            'namedToken.rotations': rotations + 1,
            ...(remindAt && { 'namedToken.remindAt': remindAt }),
          },
          ...(remindAt === undefined && { $unset: { 'namedToken.remindAt': '' } }),
        },
      ),
    // the list as it was read: of two steps at once the second changes nothing, so nothing comes back
    narrowNamedToken: ({ grantId, scopes }, left, now) =>
      grants.updateOne(
        { _id: grantId, namedToken: { $exists: true }, 'authorization.scopes': scopes, ...live(now) },
        { $set: { 'authorization.scopes': left } },
      ),
    revokeNamedToken: (id, of, now) =>
      change({ _id: id, ...owned(of), ...live(now) }, { $set: { revokedAt: now } }),
    revokeLeakedToken: ({ grantId, hash }, now) =>
      change(
        {
          _id: grantId,
          namedToken: { $exists: true },
          accessTokens: { $elemMatch: { hash, expiresAt: { $gt: now } } },
          ...live(now),
        },
        { $set: { revokedAt: now } },
      ),
    async noteNamedTokenUse(grantId, { day, address }) {
      await grants.updateOne(
        { _id: grantId, namedToken: { $exists: true } },
        {
          $max: { 'namedToken.lastUsedOn': day },
          ...(address !== undefined && { $set: { 'namedToken.lastUsedFrom': address } }),
        },
      );
    },
  };
}

/** Those who look after a service token. */
function ownerSteps(
  grants: Collection<GrantDocument>,
): Pick<NamedTokenGrants, 'setNamedTokenOwners' | 'listInvitedTokens' | 'leaveNamedTokens'> {
  return {
    setNamedTokenOwners: ({ grantId, ownerChanges }, { owners, invitations }, now) =>
      grants.updateOne(
        {
          _id: grantId,
          'namedToken.owners': { $exists: true },
          'namedToken.ownerChanges': ownerChanges === 0 ? { $exists: false } : ownerChanges,
          ...live(now),
        },
        {
          $set: {
            'namedToken.owners': owners,
            'namedToken.ownerChanges': ownerChanges + 1,
            ...(invitations && { 'namedToken.invitations': invitations }),
          },
          ...(invitations === undefined && { $unset: { 'namedToken.invitations': '' } }),
        },
      ),
    async listInvitedTokens(userId, now, limit) {
      const found = await grants.find({ 'namedToken.invitations.userId': userId, ...live(now) }, { limit });
      return found.map(toGrant);
    },
    async leaveNamedTokens(userId, { heir, now, dryRun = false }) {
      const owned = await grants.find({ 'namedToken.owners': userId }, { projection: { namedToken: 1 } });
      const fate = heir === undefined ? 'ended' : 'transferred';
      const isLast = ({ namedToken }: GrantDocument) =>
        namedToken?.owners?.every((owner) => owner === userId);
      const ids = (which: readonly GrantDocument[]) => which.map(({ _id }) => _id);
      const result = {
        ...{ ended: [], transferred: [] },
        left: ids(owned.filter((token) => !isLast(token))),
        [fate]: ids(owned.filter(isLast)),
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
              ? { revokedAt: { $cond: [isEmpty, now, { $ifNull: ['$revokedAt', '$$REMOVE'] }] } }
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
    },
  };
}

const live = (now: Date) => ({ revokedAt: { $exists: false }, expiresAt: { $gt: now } });

type Change = (filter: object, update: object) => Promise<Grant | null>;

/** Changes a grant by one conditional update, and gives it as it is then. */
function changing(grants: Collection<GrantDocument>): Change {
  return async (filter, update) => {
    const found = await grants.findOneAndUpdate(filter as never, update as never);
    return found && toGrant(found);
  };
}

/** What happens before a token expires. */
function reminderSteps(
  grants: Collection<GrantDocument>,
): Pick<NamedTokenGrants, 'leaseExpiring' | 'endReminder'> {
  return {
    async leaseExpiring({ now, until }, limit) {
      const due = { 'namedToken.remindAt': { $lte: now } };
      const found = await grants.find({ ...due, ...live(now) }, { limit });
      const leased: Grant[] = [];
      for (const document of found) {
        const isOwn = await grants.updateOne(
          { _id: document._id, ...due, ...live(now) },
          { $set: { 'namedToken.remindAt': until } },
        );
        if (isOwn) leased.push(toGrant(document));
      }
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

/** What an administrator does to a token. */
function blockSteps(
  grants: Collection<GrantDocument>,
): Pick<NamedTokenGrants, 'blockNamedToken' | 'explainBlock' | 'unblockNamedToken'> {
  const change = changing(grants);
  return {
    blockNamedToken: (id, { reason, now }) =>
      change(
        { _id: id, namedToken: { $exists: true }, blockedAt: { $exists: false }, ...live(now) },
        { $set: { blockedAt: now, ...(reason !== undefined && { 'namedToken.blockedFor': reason }) } },
      ),
    async explainBlock(id, reason, now) {
      await grants.updateOne(
        { _id: id, namedToken: { $exists: true }, blockedAt: { $exists: true }, ...live(now) },
        { $set: { 'namedToken.blockedFor': reason } },
      );
    },
    unblockNamedToken: (id, now) =>
      change(
        { _id: id, namedToken: { $exists: true }, blockedAt: { $exists: true }, ...live(now) },
        { $unset: { blockedAt: '', 'namedToken.blockedFor': '' } },
      ),
  };
}

/** The condition by which the index finds a list: the client ids of such tokens begin with their grant type. */
function listed(of: TokensOf): Readonly<Record<string, unknown>> {
  if ('ownerId' in of) return { 'namedToken.owners': of.ownerId };
  const { personal } = NAMED_GRANT_TYPES;
  // ';' comes after ':'
  return { userId: of.userId, clientId: { $gte: `${personal}:`, $lt: `${personal};` } };
}

/** The condition that keeps everybody else's tokens out; code may name any. */
function owned(of: TokensOf | undefined): Readonly<Record<string, unknown>> {
  if (of === undefined) return { namedToken: { $exists: true } };
  return 'ownerId' in of
    ? { 'namedToken.owners': of.ownerId, grantType: NAMED_GRANT_TYPES.service }
    : { userId: of.userId, grantType: NAMED_GRANT_TYPES.personal };
}
