import {
  isOwner,
  ownedBy,
  ownersOf,
  remaining,
  type SharedOwnership,
} from '../../core/clients/client-owners.js';
import {
  type Actor,
  afterAcceptance,
  afterLeaving,
  afterRemoval,
  checkActor,
  findOwnInvitation,
  isFor,
  joinWithinLimit,
  type NewInvitation,
  withInvitation,
  withOwner,
} from '../../core/clients/registry/invitations.js';
import type { OperationContext } from '../../core/clients/registry/update-client.js';
import type { Grant } from '../../core/grants/grant.js';
import { OAuthError } from '../../shared/errors.js';
import { withoutUndefined } from '../../shared/without-undefined.js';
import type { Grants } from '../../storage/grants/grant-collection.js';
import { noSuchToken } from './token-service.js';

/** Steps that change who looks after a service token. What is wrong is an OwnershipError. */
export type TokenOwners = ReturnType<typeof createTokenOwners>;

/** Retried only on a concurrent change. */
const MAX_TRIES = 20;
/** As many service tokens ask one person. */
const MAX_ASKING = 50;

type ByUser = OperationContext & { readonly userId: string };

type Joining = ByUser & { readonly maxOwned: number };

/** By the rules that applications have; each is asked of the token as it is at that moment. */
export function createTokenOwners(grants: Grants) {
  /** Makes a change by what the token is at that moment, again if somebody else has changed it meanwhile. */
  const change = async (id: string, now: Date, next: (before: SharedOwnership) => SharedOwnership | null) => {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const grant = await grants.findNamedToken(id, undefined, now);
      const { owners, ownerChanges = 0 } = grant?.namedToken ?? {};
      if (grant === null || owners === undefined) throw noSuchToken();
      const ids = { grantId: id, clientId: grant.clientId };
      const before = sharedOf(grant);
      const after = next(before);
      if (after === null) return { ids, before, after: before, isChanged: false };
      const changed = { owners: ownersOf(after), ...withoutUndefined({ invitations: after.invitations }) };
      if (await grants.setNamedTokenOwners({ grantId: id, ownerChanges }, changed, now))
        return { ids, before, after: { ...before, ...after }, isChanged: true };
    }
    throw new OAuthError('invalid_request', 'the owners were changed in the meantime', { status: 409 });
  };
  /** A change that makes a user an owner, if they look after fewer than `maxOwned`. */
  const join = (
    id: string,
    { userId, now, maxOwned: max }: Joining,
    next: (before: SharedOwnership) => SharedOwnership | null,
  ) =>
    joinWithinLimit({
      userId,
      max,
      count: (limit) => grants.countNamedTokens({ ownerId: userId }, now, limit),
      async find() {
        const grant = await grants.findNamedToken(id, undefined, now);
        return grant && sharedOf(grant);
      },
      join: () => change(id, now, next),
      leave: (joined) => change(id, now, (shared) => afterLeaving(shared, { ...joined, userId })),
    });

  return {
    async invite(id: string, invitation: NewInvitation, { now, emit }: OperationContext): Promise<void> {
      const { ids } = await change(id, now, (before) => ({
        ...before,
        invitations: withInvitation(before, invitation, now),
      }));
      const { userId, as, by } = invitation;
      await emit('owner.invited', { ...ids, actorId: by.userId, reason: as, userId });
    },
    async withdraw(
      id: string,
      invitation: string,
      { by, now, emit }: OperationContext & { readonly by: Actor },
    ) {
      const { ids, before, isChanged } = await change(id, now, (shared) => {
        checkActor(shared, by);
        return shared.invitations?.some((each) => each.id === invitation) === true
          ? { ...shared, ...remaining(shared, now, (each) => each.id !== invitation) }
          : null;
      });
      const userId = before.invitations?.find((each) => each.id === invitation)?.userId;
      if (isChanged)
        await emit('owner.invitation_ended', { ...ids, userId, actorId: by.userId, reason: 'withdrawn' });
    },
    /** By the one whom it is for, and nobody else. */
    async accept(id: string, invitation: string, act: Joining) {
      const { userId, now, emit } = act;
      const { ids, before } = await join(id, act, (shared) =>
        afterAcceptance(shared, findOwnInvitation(shared, invitation, { userId, now }), now),
      );
      const { as, invitedBy: actorId } = findOwnInvitation(before, invitation, { userId, now });
      await Promise.all([
        emit('owner.added', { ...ids, userId, actorId, reason: as }),
        as === 'transfer' && emit('owner.removed', { ...ids, userId: actorId, actorId }),
      ]);
    },
    async decline(id: string, invitation: string, { userId, now, emit }: ByUser) {
      const { ids } = await change(id, now, (shared) => {
        findOwnInvitation(shared, invitation, { userId, now });
        return { ...shared, ...remaining(shared, now, (each) => each.userId !== userId) };
      });
      await emit('owner.invitation_ended', { ...ids, userId, actorId: userId, reason: 'declined' });
    },
    /** Without an invitation, by the site's code. */
    async add(id: string, act: Joining): Promise<void> {
      const { userId, now, emit } = act;
      const { ids, isChanged } = await join(id, act, (shared) =>
        isOwner(shared, userId)
          ? null
          : { ...withOwner(shared, userId), ...remaining(shared, now, (each) => each.userId !== userId) },
      );
      if (isChanged) await emit('owner.added', { ...ids, userId });
    },
    /** Without `by` it is the site's code. */
    async removeOwner(
      id: string,
      userId: string,
      { by, now, emit }: OperationContext & { readonly by?: Actor },
    ) {
      const { ids, isChanged } = await change(id, now, (shared) => afterRemoval(shared, { userId, by }, now));
      if (isChanged) await emit('owner.removed', { ...ids, userId, actorId: by?.userId });
    },
    /** The invitations of a user that are open, one for each token at most. */
    async listInvited(userId: string, now: Date) {
      const asking = await grants.listInvitedTokens(userId, now, MAX_ASKING);
      return asking.flatMap((grant) => {
        const shared = sharedOf(grant);
        const invitation = shared.invitations?.findLast((each) => isFor(each, shared, { userId, now }));
        return invitation === undefined ? [] : [{ grant, invitation }];
      });
    },
  };
}

/**
 * A service token as the rules of owners see it: no site vouches for one, and one that is blocked is in nobody's hands.
 */
export function sharedOf({
  namedToken: { owners = [], invitations } = { name: '', rotations: 0 },
  blockedAt,
}: Partial<Grant>): SharedOwnership {
  return { ...ownedBy(owners), invitations, trusted: false, blocked: blockedAt && { at: blockedAt } };
}
