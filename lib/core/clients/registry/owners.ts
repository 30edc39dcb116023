import { randomUUID } from 'node:crypto';

import { addSeconds } from '../../../shared/date.js';
import type { Client, OwnerInvitation } from '../client.js';
import type { ClientField } from '../client-field.js';
import { isOpen, isOwner, MAX_OWNERS, openInvitations, ownedBy, ownersOf } from '../client-owners.js';
import { reviewAfterChange } from '../client-review.js';
import type { ClientStore } from '../client-store.js';
import type { ClientInfo } from './client-info.js';
import { OwnershipError } from './ownership-error.js';
import { type ClientUpdateContext, type OperationContext, updateClient } from './update-client.js';

/** Who changes the owners of a client: one of them, or an administrator, who speaks for the host. */
export interface Actor {
  readonly userId: string;
  readonly isHost: boolean;
}

/** A person who was asked, and for which client. */
export interface Invited {
  readonly client: ClientInfo;
  readonly invitation: OwnerInvitation;
}

/** Who owns clients. What is wrong is an OwnershipError; null: there is no such client. */
export interface Ownership {
  invite(
    clientId: string,
    invitation: Pick<OwnerInvitation, 'userId' | 'typed' | 'as'> & { readonly by: Actor },
    act: OperationContext,
  ): Promise<ClientInfo | null>;
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
  /** Without `by` it is the host's code. */
  removeOwner(
    clientId: string,
    userId: string,
    act: OperationContext & { readonly by?: Actor },
  ): Promise<ClientInfo | null>;
  /** The invitations of a person that are open, one for each client at most. */
  listInvitations(userId: string, now: Date): Promise<readonly Invited[]>;
}

/** Seconds. */
const INVITATION_LIFE = 7 * 86_400;
const MAX_INVITATIONS = 5;
/** As many clients ask one person. */
const MAX_ASKING = 50;

/** By what those who are not the host are held when they change who owns a client. */
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
          const owners = ownersOf(before);
          // whoever leaves need not be able to change the client otherwise
          if (by !== undefined && (by.userId !== userId || before.blocked !== undefined))
            checkActor(before, by);
          if (!owners.includes(userId)) return null;
          if (owners.length === 1) throw new OwnershipError('last-owner');
          const changes = {
            ...handedTo(before, ownedBy(owners.filter((owner) => owner !== userId)), act.now),
            ...left(before, act.now, (each) => each.invitedBy !== userId || each.byHost === true),
          };
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
        const invitation = client.invitations?.findLast((each) => isFor(each, { client, userId, now }));
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
            ? { changes: left(before, act.now, (each) => each.id !== id) }
            : null;
        },
        (before) => ended(act, before, { id, actorId: by.userId, reason: 'withdrawn' }),
      ),
    accept: (clientId, id, { userId, ...act }) =>
      change(
        clientId,
        act,
        (before) =>
          acceptance(before, findOwn(before, { id, userId, now: act.now }), { ...rules, now: act.now }),
        (before) => {
          const { as, invitedBy: actorId } = findOwn(before, { id, userId, now: act.now });
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
          findOwn(before, { id, userId, now: act.now });
          return { changes: left(before, act.now, (each) => each.userId !== userId) };
        },
        (before) => ended(act, before, { id, actorId: userId, reason: 'declined' }),
      ),
  };
}

type NewInvitation = Parameters<Ownership['invite']>[1];

function withInvitation(
  before: Client,
  { by, userId, typed, as }: NewInvitation,
  now: Date,
): readonly OwnerInvitation[] {
  checkInvitation(before, { by, userId, as });
  const { invitations = [] } = openInvitations(before, now);
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

function checkInvitation(before: Client, { by, userId, as }: Omit<NewInvitation, 'typed'>): void {
  checkActor(before, by);
  const isTransfer = as === 'transfer';
  if (isTransfer && !isOwner(before, by.userId)) throw new OwnershipError('not-allowed');
  // to another owner it can be handed over
  if (isOwner(before, userId) && !(isTransfer && userId !== by.userId))
    throw new OwnershipError('already-owner');
  // says nothing of whether there is such a person
  if (!isTransfer && ownersOf(before).length >= MAX_OWNERS) throw new OwnershipError('too-many-owners');
}

type RuledAct = OwnershipRules & Pick<OperationContext, 'now'>;

/** The host's own decision: a client that does not wait for approval stays approved, and verified. */
function byHost(
  before: Client,
  changes: ClientUpdateContext['changes'],
  { now, ...rules }: RuledAct,
): ClientUpdateContext {
  if (before.awaitsApprovalSince !== undefined) return { changes };
  const review = reviewAfterChange(before, { ...before, ...changes }, { by: 'host', now, ...rules });
  return { changes: { ...changes, ...review } };
}

/** What becomes of a client if a person accepts. What the site has looked at were the people of before. */
function acceptance(
  before: Client,
  { as, invitedBy, userId = '' }: OwnerInvitation,
  { now, ...rules }: RuledAct,
): ClientUpdateContext {
  const owners = ownersOf(before);
  const isTransfer = as === 'transfer';
  const owned = isTransfer
    ? ownedBy([...new Set(owners.map((owner) => (owner === invitedBy ? userId : owner)))])
    : withOwner(before, userId);
  return {
    changes: {
      ...handedTo(before, owned, now),
      ...left(
        before,
        now,
        (each) => each.userId !== userId && !(isTransfer && each.invitedBy === invitedBy && !each.byHost),
      ),
      ...reviewAfterChange(before, { ...before, ...owned }, { by: 'others', now, ...rules }),
    },
  };
}

function withOwner(before: Client, userId: string) {
  const owners = ownersOf(before);
  if (owners.length >= MAX_OWNERS) throw new OwnershipError('too-many-owners');
  return ownedBy([...owners, userId]);
}

/** People who are asked for access hear since when it is in other hands than those it was registered for. */
function handedTo(
  before: Client,
  owned: Pick<Client, 'ownerId' | 'coOwnerIds'>,
  now: Date,
): Pick<Client, 'ownerId' | 'coOwnerIds' | 'ownerSince'> {
  return { ...owned, ...(owned.ownerId !== before.ownerId && { ownerSince: now }) };
}

/** The invitations that are left. */
function left(
  before: Client,
  now: Date,
  isLeft: (invitation: OwnerInvitation) => boolean,
): Pick<Client, 'invitations'> {
  const invitations = openInvitations(before, now).invitations?.filter(isLeft) ?? [];
  return { invitations: invitations.length > 0 ? invitations : undefined };
}

/** What an owner cannot change otherwise is not theirs to give to others either. */
function checkActor(client: Client, { userId, isHost }: Actor): void {
  if (isHost) return;
  if (!isOwner(client, userId) || client.trusted || client.blocked !== undefined)
    throw new OwnershipError('not-allowed');
}

interface Requested {
  readonly client: Client;
  readonly userId: string;
  readonly now: Date;
}

function isFor(invitation: OwnerInvitation, { client, userId, now }: Requested): boolean {
  const isNews = invitation.as === 'transfer' || !isOwner(client, userId);
  return invitation.userId === userId && isNews && isOpen(invitation, client, now);
}

function findOwn(client: Client, { id, ...of }: Omit<Requested, 'client'> & { readonly id: string }) {
  const invitation = client.invitations?.find((each) => each.id === id && isFor(each, { client, ...of }));
  if (invitation === undefined) throw new OwnershipError('gone');
  return invitation;
}

function ended(
  { emit }: Pick<OperationContext, 'emit'>,
  { clientId, invitations = [] }: Client,
  { id, ...data }: { readonly id: string; readonly actorId: string; readonly reason: string },
): void {
  const userId = invitations.find((each) => each.id === id)?.userId;
  emit('client.invitation_ended', { clientId, ...data, ...(userId !== undefined && { userId }) });
}
