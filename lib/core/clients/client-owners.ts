import type { Client, OwnerInvitation } from './client.js';

type Owned = Pick<Client, 'ownerId' | 'coOwnerIds'>;

/** How many users can own a client. */
export const MAX_OWNERS = 20;

/** All owners of a client, who have the same rights. */
export function ownersOf({ ownerId, coOwnerIds = [] }: Owned): readonly string[] {
  return [...new Set([ownerId ?? [], coOwnerIds].flat())];
}

export function isOwner(client: Owned, userId: string | undefined): boolean {
  return userId !== undefined && ownersOf(client).includes(userId);
}

/** How the owners of a client are stored. */
export function ownedBy([ownerId, ...others]: readonly string[]): Owned {
  return { ownerId, coOwnerIds: others.length > 0 ? others : undefined };
}

type Invited = Owned & Pick<Client, 'invitations' | 'trusted' | 'blocked'>;

/**
 * Whether an invitation can still be accepted: only if the inviter could make it today. So if an owner was removed
 * since, their invitations bring in nobody.
 */
export function isOpen(
  { invitedBy, byHost, expiresAt }: OwnerInvitation,
  client: Omit<Invited, 'invitations'>,
  now: Date,
): boolean {
  if (expiresAt <= now || client.blocked !== undefined) return false;
  return byHost === true || (isOwner(client, invitedBy) && !client.trusted);
}

/** The invitations of a client that have not expired, if there are any. */
export function openInvitations(
  { invitations = [] }: Pick<Client, 'invitations'>,
  now: Date,
): Pick<Client, 'invitations'> {
  const open = invitations.filter(({ expiresAt }) => expiresAt > now);
  return open.length > 0 ? { invitations: open } : {};
}
