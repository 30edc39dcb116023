import type { Client, OwnerInvitation } from '../client.js';
import type { ClientField } from '../client-field.js';
import { isOwner } from '../client-owners.js';
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
  remaining,
  withInvitation,
  withOwner,
} from './invitations.js';
import { type ClientUpdateContext, type OperationContext, updateClient } from './update-client.js';

/** A user who was asked, and for which client. */
export interface Invited {
  readonly client: ClientInfo;
  readonly invitation: OwnerInvitation;
}

/** Who owns clients. What is wrong is an OwnershipError; null: there is no such client. */
export interface Ownership {
  invite(clientId: string, invitation: NewInvitation, act: OperationContext): Promise<ClientInfo | null>;
  withdraw(
    clientId: string,
    id: string,
    act: OperationContext & { readonly by: Actor },
  ): Promise<ClientInfo | null>;
  /** By the one whom it is for, and nobody else. */
  accept(
    clientId: string,
    id: string,
    act: OperationContext & { readonly userId: string },
  ): Promise<ClientInfo | null>;
  decline(
    clientId: string,
    id: string,
    act: OperationContext & { readonly userId: string },
  ): Promise<ClientInfo | null>;
  addOwner(clientId: string, userId: string, act: OperationContext): Promise<ClientInfo | null>;
  /** Without `by` it is the site's code. */
  removeOwner(
    clientId: string,
    userId: string,
    act: OperationContext & { readonly by?: Actor },
  ): Promise<ClientInfo | null>;
  /** The invitations of a user that are open, one for each client at most. */
  listInvitations(userId: string, now: Date): Promise<readonly Invited[]>;
}

/** As many clients ask one person. */
const MAX_ASKING = 50;

/** By what those who are not the site are held when they change who owns a client. */
interface OwnershipRules {
  /** Whether clients wait for approval here (`applications.approval`). */
  readonly approval: boolean;
  readonly fields: readonly ClientField[];
}

export function createOwnership(
  { clients, ...rules }: OwnershipRules & { readonly clients: ClientStore },
  toInfo: (client: Client, now: Date) => ClientInfo,
): Ownership {
  /** Each rule is asked of the client as it is at that moment: who was removed a moment ago changes nothing. */
  const change = async (
    clientId: string,
    { now }: Pick<OperationContext, 'now'>,
    updateOf: (before: Client) => ClientUpdateContext | null,
    done: (before: Client, after: Client) => void,
  ): Promise<ClientInfo | null> => {
    const changed = await updateClient(clients, { clientId, now }, updateOf);
    if (changed === null) return null;
    if (changed.after !== changed.before) done(changed.before, changed.after);
    return toInfo(changed.after, now);
  };

  return {
    ...createInvitations(change, rules),
    addOwner: (clientId, userId, act) =>
      change(
        clientId,
        act,
        (before) =>
          isOwner(before, userId) ? null : byHost(before, withOwner(before, userId), { ...rules, ...act }),
        () => act.emit('client.owner_added', { clientId, userId }),
      ),
    removeOwner: (clientId, userId, { by, ...act }) =>
      change(
        clientId,
        act,
        (before) => {
          const owned = afterRemoval(before, { userId, by }, act.now);
          if (owned === null) return null;
          const changes = handedTo(before, owned, act.now);
          // those who stay were looked at with whoever leaves
          return by?.isHost === false ? { changes } : byHost(before, changes, { ...rules, ...act });
        },
        () =>
          act.emit('client.owner_removed', {
            clientId,
            userId,
            ...(by !== undefined && { actorId: by.userId }),
          }),
      ),
    async listInvitations(userId, now) {
      const asking = await clients.listInvited(userId, MAX_ASKING);
      return asking.flatMap((client) => {
        const invitation = client.invitations?.findLast((each) => isFor(each, client, { userId, now }));
        return invitation === undefined ? [] : [{ client: toInfo(client, now), invitation }];
      });
    },
  };
}

type ChangeOwners = (
  clientId: string,
  act: Pick<OperationContext, 'now'>,
  updateOf: (before: Client) => ClientUpdateContext | null,
  done: (before: Client, after: Client) => void,
) => Promise<ClientInfo | null>;

function createInvitations(
  change: ChangeOwners,
  rules: OwnershipRules,
): Pick<Ownership, 'invite' | 'withdraw' | 'accept' | 'decline'> {
  return {
    invite: (clientId, invitation, act) =>
      change(
        clientId,
        act,
        (before) => ({ changes: { invitations: withInvitation(before, invitation, act.now) } }),
        () =>
          act.emit('client.owner_invited', {
            clientId,
            actorId: invitation.by.userId,
            reason: invitation.as,
            ...(invitation.userId !== undefined && { userId: invitation.userId }),
          }),
      ),
    withdraw: (clientId, id, { by, ...act }) =>
      change(
        clientId,
        act,
        (before) => {
          checkActor(before, by);
          return before.invitations?.some((each) => each.id === id) === true
            ? { changes: remaining(before, act.now, (each) => each.id !== id) }
            : null;
        },
        (before) => ended(act, before, { id, actorId: by.userId, reason: 'withdrawn' }),
      ),
    accept: (clientId, id, { userId, ...act }) =>
      change(
        clientId,
        act,
        (before) =>
          acceptance(before, findOwnInvitation(before, id, { userId, now: act.now }), {
            ...rules,
            now: act.now,
          }),
        (before) => {
          const { as, invitedBy: actorId } = findOwnInvitation(before, id, { userId, now: act.now });
          act.emit(as === 'transfer' ? 'client.transferred' : 'client.owner_added', {
            clientId,
            userId,
            actorId,
          });
        },
      ),
    decline: (clientId, id, { userId, ...act }) =>
      change(
        clientId,
        act,
        (before) => {
          findOwnInvitation(before, id, { userId, now: act.now });
          return { changes: remaining(before, act.now, (each) => each.userId !== userId) };
        },
        (before) => ended(act, before, { id, actorId: userId, reason: 'declined' }),
      ),
  };
}

type RuledAct = OwnershipRules & Pick<OperationContext, 'now'>;

/** The site's own decision: a client that does not wait for approval stays approved, and verified. */
function byHost(
  before: Client,
  changes: ClientUpdateContext['changes'],
  { now, ...rules }: RuledAct,
): ClientUpdateContext {
  if (before.awaitsApprovalSince !== undefined) return { changes };
  const review = reviewAfterChange(before, { ...before, ...changes }, { by: 'host', now, ...rules });
  return { changes: { ...changes, ...review } };
}

/** What becomes of a client if a user accepts. What the site has looked at were the users of before. */
function acceptance(
  before: Client,
  invitation: OwnerInvitation,
  { now, ...rules }: RuledAct,
): ClientUpdateContext {
  const owned = afterAcceptance(before, invitation, now);
  return {
    changes: {
      ...handedTo(before, owned, now),
      ...reviewAfterChange(before, { ...before, ...owned }, { by: 'others', now, ...rules }),
    },
  };
}

/** Users who are asked for access hear since when it is in other hands than those it was registered for. */
function handedTo<Owned extends Pick<Client, 'ownerId' | 'coOwnerIds'>>(
  before: Client,
  owned: Owned,
  now: Date,
): Owned & Pick<Client, 'ownerSince'> {
  return { ...owned, ...(owned.ownerId !== before.ownerId && { ownerSince: now }) };
}

function ended(
  { emit }: Pick<OperationContext, 'emit'>,
  { clientId, invitations = [] }: Client,
  { id, ...data }: { readonly id: string; readonly actorId: string; readonly reason: string },
): void {
  const userId = invitations.find((each) => each.id === id)?.userId;
  emit('client.invitation_ended', { clientId, ...data, ...(userId !== undefined && { userId }) });
}
