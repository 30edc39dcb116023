import { randomUUID } from 'node:crypto';

import { addSeconds } from '../../../shared/date.js';
import { insertWithinLimit } from '../../../shared/limits/insert-within-limit.js';
import type { OwnerInvitation } from '../client.js';
import {
  isOpen,
  isOwner,
  MAX_OWNERS,
  ownedBy,
  OwnershipError,
  ownersOf,
  remaining,
  type SharedOwnership,
} from '../client-owners.js';
import type { Change, OperationContext } from './update-client.js';

/** Who changes the owners: an owner, or an administrator, who acts for the site. */
export interface Actor {
  readonly userId: string;
  readonly isHost: boolean;
}

export interface NewInvitation extends Pick<OwnerInvitation, 'userId' | 'typed' | 'as'> {
  readonly by: Actor;
}

type ByUser = OperationContext & { readonly userId: string };

type Joining = ByUser & { readonly maxOwned: number };

export interface OwnershipStep<Thing> {
  /** The owners and the open invitations; absent members stay unchanged. */
  readonly owned: SharedOwnership;
  /** Whether the change hands ownership over to others. */
  readonly isHandedOver?: boolean;
  /** Whose decision the new owners are: the site's, or somebody else's. Default: the change needs no review. */
  readonly by?: 'host' | 'others';
  /** The change that this step takes back. */
  readonly undone?: Change<Thing>;
}

/** Seconds. */
const INVITATION_LIFE = 7 * 86_400;
const MAX_INVITATIONS = 5;
/** Maximum number of things whose invitations a user sees. */
const MAX_ASKING = 50;

/**
 * Changes who owns an application or a service token. Each rule is checked against the current state: a user who was
 * removed a moment ago changes nothing. A broken rule is an OwnershipError; null means that there is no such thing.
 */
export function createOwnership<Thing extends SharedOwnership>(store: {
  readonly find: (id: string, now: Date) => Promise<Thing | null>;
  /** Makes the change that `next` derives from the current state, none if `next` gives null. Null: no such thing. */
  readonly change: (
    id: string,
    now: Date,
    next: (before: Thing) => OwnershipStep<Thing> | null,
  ) => Promise<Change<Thing> | null>;
  /** Counts the things that a user owns, up to `limit`. */
  readonly count: (userId: string, now: Date, limit: number) => Promise<number>;
  /** The things that a user was invited to own, even if the invitation has expired, at most `limit`. */
  readonly listInvited: (userId: string, now: Date, limit: number) => Promise<readonly Thing[]>;
  /** The ids of the thing in events. */
  readonly idsOf: (thing: Thing) => { readonly clientId: string; readonly grantId?: string };
}) {
  const { change, idsOf } = store;

  /**
   * Makes a user an owner if the user's limit allows one more thing, however many processes do so at once. A thing that
   * the user owns already does not count again.
   */
  const join = (id: string, { userId, now, maxOwned: max }: Joining, next: Parameters<typeof change>[2]) => {
    let joined: Change<Thing> | null = null;
    return insertWithinLimit({
      max,
      async count(limit) {
        const before = joined?.before ?? (await store.find(id, now));
        return before !== null && isOwner(before, userId) ? 0 : store.count(userId, now, limit);
      },
      insert: async () => (joined = await change(id, now, next)),
      async remove() {
        const undone = joined;
        if (undone !== null) await change(id, now, (thing) => takenBack(thing, undone, userId));
      },
      tooMany: () => new OwnershipError('too-many-clients'),
    });
  };

  return {
    /** Adds an owner without an invitation, from the site's code. */
    add: async (id: string, act: Joining) => {
      const { userId, now, emit } = act;
      const joined = await join(id, act, (before) => {
        if (isOwner(before, userId)) return null;
        const invited = remaining(before, now, (each) => each.userId !== userId);
        return { owned: { ...withOwner(before, userId), ...invited } };
      });
      if (joined !== null && joined.after !== joined.before)
        await emit('owner.added', { ...idsOf(joined.after), userId });
    },
    async invite(id: string, { by, userId, typed, as }: NewInvitation, { now, emit }: OperationContext) {
      const changed = await change(id, now, (before) => {
        checkActor(before, by);
        const isTransfer = as === 'transfer';
        if (isTransfer && !isOwner(before, by.userId)) throw new OwnershipError('not-allowed');
        // ownership can be transferred to another owner
        if (isOwner(before, userId) && !(isTransfer && userId !== by.userId))
          throw new OwnershipError('already-owner');
        // checked whether or not the invited user exists, so that the error does not reveal it
        if (!isTransfer && ownersOf(before).length >= MAX_OWNERS) throw new OwnershipError('too-many-owners');
        const { invitations = [] } = remaining(before, now);
        if (invitations.length >= MAX_INVITATIONS) throw new OwnershipError('too-many-invitations');
        const invitation: OwnerInvitation = {
          id: randomUUID(),
          ...(userId !== undefined && { userId }),
          typed,
          as,
          invitedBy: by.userId,
          ...(!isOwner(before, by.userId) && { byHost: true }),
          expiresAt: addSeconds(now, INVITATION_LIFE),
        };
        return { owned: { invitations: [...invitations, invitation] } };
      });
      if (changed !== null)
        await emit('owner.invited', { ...idsOf(changed.after), actorId: by.userId, reason: as, userId });
      return changed;
    },
    async withdraw(
      id: string,
      invitation: string,
      { by, now, emit }: OperationContext & { readonly by: Actor },
    ) {
      const changed = await change(id, now, (before) => {
        checkActor(before, by);
        if (before.invitations?.some((each) => each.id === invitation) !== true) return null;
        return { owned: remaining(before, now, (each) => each.id !== invitation) };
      });
      if (changed !== null && changed.after !== changed.before) {
        const userId = changed.before.invitations?.find((each) => each.id === invitation)?.userId;
        const data = { ...idsOf(changed.after), actorId: by.userId, reason: 'withdrawn', userId };
        await emit('owner.invitation_ended', data);
      }
      return changed;
    },
    /** Only the invited user can accept. */
    async accept(id: string, invitation: string, act: Joining) {
      const { userId, now, emit } = act;
      const accepted = await join(id, act, (before) => {
        const { as, invitedBy } = findOwnInvitation(before, invitation, act);
        const isTransfer = as === 'transfer';
        const owners = ownersOf(before).map((owner) => (owner === invitedBy ? userId : owner));
        return {
          owned: {
            ...(isTransfer ? ownedBy([...new Set(owners)]) : withOwner(before, userId)),
            ...remaining(
              before,
              now,
              (each) =>
                each.userId !== userId && !(isTransfer && each.invitedBy === invitedBy && !each.byHost),
            ),
          },
          isHandedOver: true,
          // the site has reviewed the client with its former owners
          by: 'others',
        };
      });
      if (accepted === null) return null;
      const { as, invitedBy: actorId } = findOwnInvitation(accepted.before, invitation, act);
      const ids = idsOf(accepted.after);
      await Promise.all([
        emit('owner.added', { ...ids, userId, actorId, reason: as }),
        as === 'transfer' && emit('owner.removed', { ...ids, userId: actorId, actorId }),
      ]);
      return accepted;
    },
    async decline(id: string, invitation: string, act: ByUser) {
      const { userId, now, emit } = act;
      const changed = await change(id, now, (before) => {
        findOwnInvitation(before, invitation, act);
        return { owned: remaining(before, now, (each) => each.userId !== userId) };
      });
      if (changed !== null) {
        const data = { ...idsOf(changed.after), actorId: userId, reason: 'declined', userId };
        await emit('owner.invitation_ended', data);
      }
      return changed;
    },
    /** Without `by` the site's code removes the owner. */
    async removeOwner(
      id: string,
      userId: string,
      { by, now, emit }: OperationContext & { readonly by?: Actor },
    ) {
      const changed = await change(id, now, (before) => {
        const owners = ownersOf(before);
        // an owner who leaves needs no right to change the client
        if (by !== undefined && (by.userId !== userId || before.blocked !== undefined))
          checkActor(before, by);
        if (!owners.includes(userId)) return null;
        if (owners.length === 1) throw new OwnershipError('last-owner');
        return {
          owned: {
            ...ownedBy(owners.filter((owner) => owner !== userId)),
            ...remaining(before, now, (each) => each.invitedBy !== userId || each.byHost === true),
          },
          isHandedOver: true,
          // the site has reviewed the remaining owners together with the leaving one
          by: by?.isHost === false ? undefined : 'host',
        };
      });
      if (changed !== null && changed.after !== changed.before)
        await emit('owner.removed', { ...idsOf(changed.after), userId, actorId: by?.userId });
      return changed;
    },
    /** The open invitations of a user, at most one for each thing. */
    async listInvitations(userId: string, now: Date) {
      const asking = await store.listInvited(userId, now, MAX_ASKING);
      return asking.flatMap((thing) => {
        const invitation = thing.invitations?.findLast((each) => isFor(each, thing, { userId, now }));
        return invitation === undefined ? [] : [{ thing, invitation }];
      });
    },
  };
}

/** @throws OwnershipError */
export function withOwner(before: SharedOwnership, userId: string): SharedOwnership {
  const owners = ownersOf(before);
  if (owners.length >= MAX_OWNERS) throw new OwnershipError('too-many-owners');
  return ownedBy([...owners, userId]);
}

/** An owner cannot invite others to a thing that owners may not change. @throws OwnershipError */
function checkActor(shared: SharedOwnership, { userId, isHost }: Actor): void {
  if (isHost) return;
  if (!isOwner(shared, userId) || shared.trusted || shared.blocked !== undefined)
    throw new OwnershipError('not-allowed');
}

interface Invitee {
  readonly userId: string;
  readonly now: Date;
}

function isFor(invitation: OwnerInvitation, shared: SharedOwnership, { userId, now }: Invitee): boolean {
  const isNews = invitation.as === 'transfer' || !isOwner(shared, userId);
  return invitation.userId === userId && isNews && isOpen(invitation, shared, now);
}

/** The invitation of a user. @throws OwnershipError if the user cannot accept it now */
function findOwnInvitation(shared: SharedOwnership, id: string, invitee: Invitee): OwnerInvitation {
  const invitation = shared.invitations?.find((each) => each.id === id && isFor(each, shared, invitee));
  if (invitation === undefined) throw new OwnershipError('gone');
  return invitation;
}

/** Undoes the joining of a user; later changes by others stay. Null if the user is no longer an owner. */
function takenBack<Thing extends SharedOwnership>(
  thing: Thing,
  undone: Change<Thing>,
  userId: string,
): OwnershipStep<Thing> | null {
  if (!isOwner(thing, userId)) return null;
  const { before, after } = undone;
  const former = ownersOf(before).filter((owner) => !isOwner(after, owner));
  const owners = ownersOf(thing).flatMap((owner) => (owner === userId ? former : owner));
  const stillOpen = new Set(after.invitations?.map(({ id }) => id));
  const ended = before.invitations?.filter(({ id }) => !stillOpen.has(id)) ?? [];
  const open = [...(thing.invitations ?? []), ...ended];
  const owned = {
    ...ownedBy([...new Set(owners.length > 0 ? owners : ownersOf(before))]),
    invitations: open.length > 0 ? open : undefined,
  };
  return { owned, undone };
}
