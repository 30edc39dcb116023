import type { Client, OwnerInvitation } from '../client.js';
import type { ClientField } from '../client-field.js';
import { isOwner, remaining, type SharedOwnership } from '../client-owners.js';
import { reviewAfterChange } from '../client-review.js';
import type { ClientStore } from '../client-store.js';
import type { ClientInfo } from './client-info.js';
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
} from './invitations.js';
import { type Change, type OperationContext, updateClient } from './update-client.js';

export interface Invited {
  readonly client: ClientInfo;
  readonly invitation: OwnerInvitation;
}

type ByUser = OperationContext & { readonly userId: string };

/** As many clients ask one person. */
const MAX_ASKING = 50;

interface OwnershipStep {
  readonly changes: Partial<Client>;
  /** Emits the event once the changes are stored. */
  readonly report: () => PromiseLike<unknown> | undefined;
}

/** Changes who owns clients. What is wrong is an OwnershipError; null: there is no such client. */
export function createOwnership(
  { clients, ...rules }: { clients: ClientStore; approval: boolean; fields: readonly ClientField[] },
  toInfo: (client: Client, now: Date) => ClientInfo,
) {
  /** Each rule is asked of the client as it is at that moment: who was removed a moment ago changes nothing. */
  const change = async (
    clientId: string,
    { now }: OperationContext,
    next: (before: Client) => OwnershipStep | null,
  ): Promise<ClientInfo | null> => {
    let report: OwnershipStep['report'] = () => undefined;
    const changed = await updateClient(clients, clientId, { now }, (before) => {
      const step = next(before);
      if (step !== null) ({ report } = step);
      return step;
    });
    if (changed === null) return null;
    if (changed.after !== changed.before) await report();
    return toInfo(changed.after, now);
  };
  /** Users who are asked for access hear since when it is in other hands than those it was registered for. */
  const handedTo = (before: Client, owned: SharedOwnership, now: Date) => ({
    ...owned,
    ownerSince: owned.ownerId === before.ownerId ? before.ownerSince : now,
  });
  /** The site's own decision: a client that does not wait for approval stays approved, and verified. */
  const byHost = (before: Client, changes: SharedOwnership, now: Date) =>
    before.awaitsApprovalSince === undefined
      ? {
          ...changes,
          ...reviewAfterChange(before, { ...before, ...changes }, { by: 'host', now, ...rules }),
        }
      : changes;

  return {
    invite: (clientId: string, invitation: NewInvitation, act: OperationContext) =>
      change(clientId, act, (before) => {
        const { by, as, userId } = invitation;
        const invitations = withInvitation(before, invitation, act.now);
        const data = { clientId, actorId: by.userId, reason: as, userId };
        return { changes: { invitations }, report: () => act.emit('owner.invited', data) };
      }),
    withdraw: (clientId: string, id: string, { by, ...act }: OperationContext & { readonly by: Actor }) =>
      change(clientId, act, (before) => {
        checkActor(before, by);
        const withdrawn = before.invitations?.find((each) => each.id === id);
        if (withdrawn === undefined) return null;
        const changes = remaining(before, act.now, (each) => each.id !== id);
        const data = { clientId, actorId: by.userId, reason: 'withdrawn', userId: withdrawn.userId };
        return { changes, report: () => act.emit('owner.invitation_ended', data) };
      }),
    /** By the one whom it is for, and nobody else. */
    async accept(clientId: string, id: string, act: ByUser & { readonly maxOwned: number }) {
      const { now, userId, maxOwned: max } = act;
      const acceptedFrom = (before: Client): Partial<Client> => {
        const owned = afterAcceptance(before, findOwnInvitation(before, id, act), now);
        // what the site has looked at were the users of before
        const review = reviewAfterChange(before, { ...before, ...owned }, { by: 'others', now, ...rules });
        return { ...handedTo(before, owned, now), ...review };
      };
      const accepted = await joinWithinLimit({
        userId,
        max,
        count: async (limit) => (await clients.listOfOwner(userId, limit)).length,
        find: () => clients.find(clientId),
        join: () => updateClient(clients, clientId, { now }, (before) => ({ changes: acceptedFrom(before) })),
        leave: (joined) =>
          updateClient(clients, clientId, { now }, (client) => takenBack(client, joined, userId)),
      });
      if (accepted === null) return null;
      const { as, invitedBy: actorId } = findOwnInvitation(accepted.before, id, act);
      await Promise.all([
        act.emit('owner.added', { clientId, userId, actorId, reason: as }),
        as === 'transfer' && act.emit('owner.removed', { clientId, userId: actorId, actorId }),
      ]);
      return toInfo(accepted.after, now);
    },
    decline: (clientId: string, id: string, act: ByUser) =>
      change(clientId, act, (before) => {
        const { userId } = act;
        findOwnInvitation(before, id, act);
        const changes = remaining(before, act.now, (each) => each.userId !== userId);
        const data = { clientId, actorId: userId, reason: 'declined', userId };
        return { changes, report: () => act.emit('owner.invitation_ended', data) };
      }),
    addOwner: (clientId: string, userId: string, act: OperationContext) =>
      change(clientId, act, (before) => {
        if (isOwner(before, userId)) return null;
        const changes = byHost(before, withOwner(before, userId), act.now);
        return { changes, report: () => act.emit('owner.added', { clientId, userId }) };
      }),
    /** Without `by` it is the site's code. */
    removeOwner: (
      clientId: string,
      userId: string,
      { by, ...act }: OperationContext & { readonly by?: Actor },
    ) =>
      change(clientId, act, (before) => {
        const owned = afterRemoval(before, { userId, by }, act.now);
        if (owned === null) return null;
        const handed = handedTo(before, owned, act.now);
        const data = { clientId, userId, actorId: by?.userId };
        return {
          // those who stay were looked at with whoever leaves
          changes: by?.isHost === false ? handed : byHost(before, handed, act.now),
          report: () => act.emit('owner.removed', data),
        };
      }),
    /** The invitations of a user that are open, one for each client at most. */
    async listInvitations(userId: string, now: Date): Promise<readonly Invited[]> {
      const asking = await clients.listInvited(userId, MAX_ASKING);
      return asking.flatMap((client) => {
        const invitation = client.invitations?.findLast((each) => isFor(each, client, { userId, now }));
        return invitation === undefined ? [] : [{ client: toInfo(client, now), invitation }];
      });
    },
  };
}

/** A client that is as it was before an invitation was accepted, if nobody has changed it since. */
function takenBack(client: Client, joined: Change, userId: string): { changes: Partial<Client> } | null {
  const changes = afterLeaving(client, { ...joined, userId });
  if (changes === null) return null;
  const { before, after } = joined;
  if (client.updatedAt.getTime() !== after.updatedAt.getTime()) return { changes };
  const { ownerSince, verified, publisher, review, awaitsApprovalSince } = before;
  return { changes: { ...changes, ownerSince, verified, publisher, review, awaitsApprovalSince } };
}
