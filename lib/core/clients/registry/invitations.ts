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

/** Who changes the owners of something: one of them, or an administrator, who speaks for the site. */
export interface Actor {
  readonly userId: string;
  readonly isHost: boolean;
}

export type NewInvitation = Pick<OwnerInvitation, 'userId' | 'typed' | 'as'> & { readonly by: Actor };

/** Seconds. */
const INVITATION_LIFE = 7 * 86_400;
const MAX_INVITATIONS = 5;

/** The invitations with a new one. @throws OwnershipError */
export function withInvitation(before: SharedOwnership, { by, userId, typed, as }: NewInvitation, now: Date) {
  checkActor(before, by);
  const isTransfer = as === 'transfer';
  if (isTransfer && !isOwner(before, by.userId)) throw new OwnershipError('not-allowed');
  // to another owner it can be handed over
  if (isOwner(before, userId) && !(isTransfer && userId !== by.userId))
    throw new OwnershipError('already-owner');
  // says nothing of whether there is such a user
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
  return [...invitations, invitation];
}

/** Who owns it, and who is still invited, if a user accepts. @throws OwnershipError */
export function afterAcceptance(
  before: SharedOwnership,
  { as, invitedBy, userId = '' }: OwnerInvitation,
  now: Date,
): SharedOwnership {
  const owners = ownersOf(before);
  const isTransfer = as === 'transfer';
  return {
    ...(isTransfer
      ? ownedBy([...new Set(owners.map((owner) => (owner === invitedBy ? userId : owner)))])
      : withOwner(before, userId)),
    ...remaining(
      before,
      now,
      (each) => each.userId !== userId && !(isTransfer && each.invitedBy === invitedBy && !each.byHost),
    ),
  };
}

/**
 * Who owns it, and who is still invited, without one owner; null if that user owns nothing of it. Without `by` it is
 * the site's code.
 *
 * @throws OwnershipError
 */
export function afterRemoval(
  before: SharedOwnership,
  { userId, by }: { readonly userId: string; readonly by?: Actor | undefined },
  now: Date,
): SharedOwnership | null {
  const owners = ownersOf(before);
  // whoever leaves need not be able to change it otherwise
  if (by !== undefined && (by.userId !== userId || before.blocked !== undefined)) checkActor(before, by);
  if (!owners.includes(userId)) return null;
  if (owners.length === 1) throw new OwnershipError('last-owner');
  return {
    ...ownedBy(owners.filter((owner) => owner !== userId)),
    ...remaining(before, now, (each) => each.invitedBy !== userId || each.byHost === true),
  };
}

export interface LimitedJoining<Joined> {
  readonly userId: string;
  readonly max: number;
  /** Counts what the user owns, no further than `limit`. */
  readonly count: (limit: number) => Promise<number>;
  readonly find: () => Promise<SharedOwnership | null>;
  readonly join: () => Promise<Joined>;
  readonly leave: (joined: NonNullable<Joined>) => Promise<unknown>;
}

/**
 * Makes a user an owner of one more if there is room, in however many processes at once. What is theirs already does not
 * change their number.
 *
 * @throws OwnershipError too-many-clients
 */
export async function joinWithinLimit<Joined extends { readonly before: SharedOwnership } | null>({
  userId,
  max,
  count,
  find,
  join,
  leave,
}: LimitedJoining<Joined>): Promise<Joined> {
  let joined: Joined | null = null;
  return insertWithinLimit({
    max,
    async count(limit) {
      const before = joined?.before ?? (await find());
      return before !== null && isOwner(before, userId) ? 0 : count(limit);
    },
    insert: async () => (joined = await join()),
    remove: async () => joined !== null && leave(joined),
    tooMany: () => new OwnershipError('too-many-clients'),
  });
}

/**
 * Who owns it, and who is invited, after a user's joining is taken back; what others have changed since stays. Null if
 * the user owns it no longer.
 */
export function afterLeaving(
  shared: SharedOwnership,
  { before, after, userId }: Record<'before' | 'after', SharedOwnership> & { readonly userId: string },
): SharedOwnership | null {
  if (!isOwner(shared, userId)) return null;
  const former = ownersOf(before).filter((owner) => !isOwner(after, owner));
  const owners = ownersOf(shared).flatMap((owner) => (owner === userId ? former : owner));
  const { invitations: [...open] = [] } = shared;
  const isIn = (list: SharedOwnership['invitations'], id: string) => list?.some((each) => each.id === id);
  open.push(...(before.invitations ?? []).filter(({ id }) => !isIn(after.invitations, id)));
  return {
    ...ownedBy([...new Set(owners.length > 0 ? owners : ownersOf(before))]),
    invitations: open.length > 0 ? open : undefined,
  };
}

/** @throws OwnershipError */
export function withOwner(before: SharedOwnership, userId: string): SharedOwnership {
  const owners = ownersOf(before);
  if (owners.length >= MAX_OWNERS) throw new OwnershipError('too-many-owners');
  return ownedBy([...owners, userId]);
}

/** What an owner cannot change otherwise is not theirs to give to others either. @throws OwnershipError */
export function checkActor(shared: SharedOwnership, { userId, isHost }: Actor): void {
  if (isHost) return;
  if (!isOwner(shared, userId) || shared.trusted || shared.blocked !== undefined)
    throw new OwnershipError('not-allowed');
}

export interface Invitee {
  readonly userId: string;
  readonly now: Date;
}

export function isFor(invitation: OwnerInvitation, shared: SharedOwnership, { userId, now }: Invitee) {
  const isNews = invitation.as === 'transfer' || !isOwner(shared, userId);
  return invitation.userId === userId && isNews && isOpen(invitation, shared, now);
}

/** The invitation of a person. @throws OwnershipError if there is none that they can accept now */
export function findOwnInvitation(shared: SharedOwnership, id: string, invitee: Invitee): OwnerInvitation {
  const invitation = shared.invitations?.find((each) => each.id === id && isFor(each, shared, invitee));
  if (invitation === undefined) throw new OwnershipError('gone');
  return invitation;
}
