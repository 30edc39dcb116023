import { OAuthError } from '../../shared/errors.js';
import type { Client, ClientMetadata, OwnerInvitation } from './client.js';

/** An application or a service token, which several users can own with equal rights. */
export interface SharedOwnership extends Partial<ClientMetadata> {
  readonly invitations?: Client['invitations'];
  readonly blocked?: Client['blocked'];
}

export const MAX_OWNERS = 20;

/** All owners of a client, with equal rights. */
export function ownersOf({ ownerId, coOwnerIds = [] }: SharedOwnership): readonly string[] {
  return [...new Set([ownerId ?? [], coOwnerIds].flat())];
}

export function isOwner(client: SharedOwnership, userId: string | undefined): boolean {
  return userId !== undefined && ownersOf(client).includes(userId);
}

export function ownedBy([ownerId, ...others]: readonly string[]): SharedOwnership {
  return { ownerId, coOwnerIds: others.length > 0 ? others : undefined };
}

/**
 * Whether an invitation can still be accepted: only if the inviter could make it today. The invitations of a removed
 * owner bring in nobody.
 */
export function isOpen(
  { invitedBy, byHost, expiresAt }: OwnerInvitation,
  client: SharedOwnership,
  now: Date,
): boolean {
  if (expiresAt <= now || client.blocked !== undefined) return false;
  return byHost === true || (isOwner(client, invitedBy) && !client.trusted);
}

/** The remaining invitations that have not expired; undefined if there are none. */
export function remaining(
  { invitations = [] }: SharedOwnership,
  now: Date,
  isLeft: (invitation: OwnerInvitation) => boolean = () => true,
): SharedOwnership {
  const open = invitations.filter((each) => each.expiresAt > now && isLeft(each));
  return { invitations: open.length > 0 ? open : undefined };
}

const DESCRIPTIONS = {
  /** There is no such invitation any more, or it is for another user. */
  gone: 'there is no such invitation any more',
  /** The user does not own the client, or the site does not let owners change it. */
  'not-allowed': 'only its owners can change who owns the client',
  'last-owner': 'nobody else owns the client: add another owner before this one is removed',
  'already-owner': 'this user owns the client already',
  'too-many-clients': 'the owner has as many clients as one may have',
  'too-many-owners': `a client has ${MAX_OWNERS} owners at most`,
  'too-many-invitations': 'so many people are invited already; wait, or take an invitation back',
} as const;

export type OwnershipProblem = keyof typeof DESCRIPTIONS;

export class OwnershipError extends OAuthError {
  constructor(readonly problem: OwnershipProblem) {
    super('invalid_client_metadata', DESCRIPTIONS[problem]);
  }
}
