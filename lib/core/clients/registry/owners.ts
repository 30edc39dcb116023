import type { Client, OwnerInvitation } from '../client.js';
import type { ClientField } from '../client-field.js';
import { isOwner, remaining } from '../client-owners.js';
import { reviewAfterChange } from '../client-review.js';
import type { ClientStore } from '../client-store.js';
import type { ClientInfo } from './client-info.js';
import {
  type Actor,
  afterAcceptance,
  afterRemoval,
  checkActor,
  findOwnInvitation,
  isFor,
  type NewInvitation,
  type OwnershipChange,
  withInvitation,
  withOwner,
} from './invitations.js';
import { type ClientUpdateContext, type OperationContext, updateClient } from './update-client.js';

export interface Invited {
  readonly client: ClientInfo;
  readonly invitation: OwnerInvitation;
}

type ByUser = OperationContext & { readonly userId: string };

/** As many clients ask one person. */
const MAX_ASKING = 50;

interface OwnershipRules {
  readonly approval: boolean;
  readonly fields: readonly ClientField[];
}

/** Changes who owns clients. What is wrong is an OwnershipError; null: there is no such client. */
export function createOwnership(
  { clients, ...rules }: OwnershipRules & { readonly clients: ClientStore },
  toInfo: (client: Client, now: Date) => ClientInfo,
) {
  /** Each rule is asked of the client as it is at that moment: who was removed a moment ago changes nothing. */
  const change = async (
    clientId: string,
    { now }: OperationContext,
    changesOf: (before: Client) => ClientUpdateContext['changes'] | null,
    done: (before: Client) => PromiseLike<unknown> | undefined,
  ): Promise<ClientInfo | null> => {
    const changed = await updateClient(clients, clientId, { now }, (before) => {
      const changes = changesOf(before);
      return changes && { changes };
    });
    if (changed === null) return null;
    if (changed.after !== changed.before) await done(changed.before);
    return toInfo(changed.after, now);
  };
  /** Users who are asked for access hear since when it is in other hands than those it was registered for. */
  const handedTo = (before: Client, owned: OwnershipChange, now: Date) => ({
    ...owned,
    ownerSince: owned.ownerId === before.ownerId ? before.ownerSince : now,
  });
  /** The site's own decision: a client that does not wait for approval stays approved, and verified. */
  const byHost = (before: Client, changes: OwnershipChange, now: Date) =>
    before.awaitsApprovalSince === undefined
      ? {
          ...changes,
          ...reviewAfterChange(before, { ...before, ...changes }, { by: 'host', now, ...rules }),
        }
      : changes;
  const ended = (
    { emit }: OperationContext,
    { clientId, invitations }: Client,
    { id, ...data }: { readonly id: string; readonly actorId: string; readonly reason: string },
  ) =>
    emit('client.invitation_ended', {
      clientId,
      ...data,
      userId: invitations?.find((each) => each.id === id)?.userId,
    });

  return {
    invite: (clientId: string, invitation: NewInvitation, act: OperationContext) =>
      change(
        clientId,
        act,
        (before) => ({ invitations: withInvitation(before, invitation, act.now) }),
        () =>
          act.emit('client.owner_invited', {
            clientId,
            actorId: invitation.by.userId,
            reason: invitation.as,
            userId: invitation.userId,
          }),
      ),
    withdraw: (clientId: string, id: string, { by, ...act }: OperationContext & { readonly by: Actor }) =>
      change(
        clientId,
        act,
        (before) => {
          checkActor(before, by);
          return before.invitations?.some((each) => each.id === id) === true
            ? remaining(before, act.now, (each) => each.id !== id)
            : null;
        },
        (before) => ended(act, before, { id, actorId: by.userId, reason: 'withdrawn' }),
      ),
    /** By the one whom it is for, and nobody else. */
    accept: (clientId: string, id: string, act: ByUser) =>
      change(
        clientId,
        act,
        (before) => {
          const { now } = act;
          const owned = afterAcceptance(before, findOwnInvitation(before, id, act), now);
          return {
            ...handedTo(before, owned, now),
            // what the site has looked at were the users of before
            ...reviewAfterChange(before, { ...before, ...owned }, { by: 'others', now, ...rules }),
          };
        },
        (before) => {
          const { as, invitedBy: actorId } = findOwnInvitation(before, id, act);
          const name = as === 'transfer' ? 'client.transferred' : 'client.owner_added';
          return act.emit(name, { clientId, userId: act.userId, actorId });
        },
      ),
    decline: (clientId: string, id: string, act: ByUser) =>
      change(
        clientId,
        act,
        (before) => {
          findOwnInvitation(before, id, act);
          return remaining(before, act.now, (each) => each.userId !== act.userId);
        },
        (before) => ended(act, before, { id, actorId: act.userId, reason: 'declined' }),
      ),
    addOwner: (clientId: string, userId: string, act: OperationContext) =>
      change(
        clientId,
        act,
        (before) => (isOwner(before, userId) ? null : byHost(before, withOwner(before, userId), act.now)),
        () => act.emit('client.owner_added', { clientId, userId }),
      ),
    /** Without `by` it is the site's code. */
    removeOwner: (
      clientId: string,
      userId: string,
      { by, ...act }: OperationContext & { readonly by?: Actor },
    ) =>
      change(
        clientId,
        act,
        (before) => {
          const owned = afterRemoval(before, { userId, by }, act.now);
          if (owned === null) return null;
          const changes = handedTo(before, owned, act.now);
          // those who stay were looked at with whoever leaves
          return by?.isHost === false ? changes : byHost(before, changes, act.now);
        },
        () => act.emit('client.owner_removed', { clientId, userId, actorId: by?.userId }),
      ),
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
