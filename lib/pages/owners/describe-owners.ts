import type { OwnerInvitation } from '../../core/clients/client.js';
import { isOpen, isOwner, ownersOf } from '../../core/clients/client-owners.js';
import type { SharedOwnership } from '../../core/clients/registry/invitations.js';
import type { MessageKey } from '../../messages/index.js';
import type { Settings } from '../../settings/settings.js';
import { personLabel } from '../person.js';
import type { Translator } from '../rendering/translator.js';

/** What was typed to invite somebody, and why it was refused. */
export interface RefusedInvitation {
  readonly typed: string;
  readonly as: OwnerInvitation['as'];
  readonly problem?: InvitationProblem;
}

const PROBLEMS = {
  missing: 'owners.missing',
  'too-long': 'owners.tooLong',
  'already-owner': 'owners.already',
  'too-many-owners': 'owners.tooManyOwners',
  'too-many-invitations': 'owners.tooManyInvitations',
} as const satisfies Record<string, MessageKey>;
export type InvitationProblem = keyof typeof PROBLEMS;

export function isInvitationProblem(problem: string): problem is InvitationProblem {
  return Object.hasOwn(PROBLEMS, problem);
}

export type OwnerSettings = Pick<Settings, 'people' | 'applications'>;

/** Users by their ids, as the site names them; without those whom it does not find. */
export async function labelsOf(
  settings: Pick<OwnerSettings, 'people'>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { find } = settings.people;
  if (find === undefined) return new Map();
  const labels = await Promise.all(
    ids.map(async (id) => {
      try {
        const user = await find(id);
        return user ? [[id, personLabel(settings, user)] as const] : [];
      } catch {
        // the page is right with the id, too
        return [];
      }
    }),
  );
  return new Map(labels.flat());
}

/** Something with owners, and what a viewer may do about them. */
export interface OwnersOf {
  readonly shared: SharedOwnership;
  readonly viewerId: string;
  /** As the page names the viewer, whom the site need not look up. */
  readonly viewerName: string;
  readonly canInvite: boolean;
  readonly canWithdraw: boolean;
  /** Whether the viewer may remove an owner, or themselves. */
  readonly canRemove: (isYou: boolean) => boolean;
  /** The page that asks whether an owner is to be removed. */
  readonly removalOf: (userId: string) => string;
  readonly refused: RefusedInvitation | undefined;
  /** What is said otherwise than of an application. */
  readonly texts?: Partial<Record<InvitationProblem, MessageKey>>;
  readonly now: Date;
}

/** What a page says of the owners of something, in the language of the viewer. */
export async function describeOwners(
  settings: OwnerSettings,
  { shared, viewerId, viewerName, canRemove, removalOf, refused, texts = {}, now, ...rights }: OwnersOf,
) {
  const ids = ownersOf(shared);
  const labels = await labelsOf(settings, ids);
  return ({ day, text }: Translator) => ({
    people: ids.map((id) => {
      const isYou = id === viewerId;
      return {
        id,
        label: labels.get(id) ?? (isYou ? viewerName : undefined),
        isYou,
        removal: ids.length > 1 && canRemove(isYou) ? removalOf(id) : undefined,
      };
    }),
    invitations: (shared.invitations ?? [])
      .filter((invitation) => isOpen(invitation, shared, now))
      .map(({ id, typed, as, expiresAt }) => ({ id, typed, as, expires: day(expiresAt) })),
    canInvite: rights.canInvite && settings.applications.findUser !== undefined,
    canWithdraw: rights.canWithdraw,
    canHandOver: isOwner(shared, viewerId),
    typed: refused?.typed ?? '',
    as: refused?.as ?? 'owner',
    problems:
      refused?.problem === undefined ? [] : [text(texts[refused.problem] ?? PROBLEMS[refused.problem])],
  });
}

/** Something that a user is asked to own. */
export interface InvitedTo {
  readonly name: string;
  readonly href: string;
  readonly invitation: OwnerInvitation;
}

/** The invitations of a user, as a list shows them. */
export async function describeInvitations(settings: OwnerSettings, invited: readonly InvitedTo[]) {
  const labels = await labelsOf(settings, [
    ...new Set(invited.map(({ invitation }) => invitation.invitedBy)),
  ]);
  return ({ day }: Translator) =>
    invited.map(({ name, href, invitation: { id, as, invitedBy, expiresAt } }) => ({
      id,
      name,
      as,
      invitedBy: labels.get(invitedBy),
      expires: day(expiresAt),
      href,
    }));
}
