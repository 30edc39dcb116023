import type { OwnerInvitation } from '../../core/clients/client.js';
import { isOpen, isOwner, ownersOf } from '../../core/clients/client-owners.js';
import type { ClientInfo } from '../../core/clients/registry/client-info.js';
import type { Invited } from '../../core/clients/registry/owners.js';
import type { MessageKey } from '../../messages/index.js';
import type { Settings } from '../../settings/settings.js';
import { personLabel, type PersonNames } from '../person.js';
import type { Translator } from '../rendering/translator.js';
import { rightsOver, type Viewer } from './application-access.js';

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

/** What the pages say after a form about owners. */
export const OWNER_NOTES = {
  invited: 'owners.nowInvited',
  withdrawn: 'owners.nowWithdrawn',
  accepted: 'owners.nowAccepted',
  declined: 'owners.nowDeclined',
  ownerremoved: 'owners.nowRemoved',
  left: 'owners.nowLeft',
  lastowner: 'owners.last',
  invitationgone: 'owners.gone',
  ownersfull: 'owners.tooManyOwners',
  toomanyapplications: 'owners.tooManyApplications',
} as const satisfies Record<string, MessageKey>;

export function isInvitationProblem(problem: string): problem is InvitationProblem {
  return Object.hasOwn(PROBLEMS, problem);
}

export type OwnerSettings = PersonNames & Pick<Settings, 'findUser' | 'applications'>;

/** People by their ids, as the site names them; without those whom it does not find. */
export async function labelsOf(
  settings: Pick<OwnerSettings, 'findUser' | keyof PersonNames>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { findUser } = settings;
  if (findUser === undefined) return new Map();
  const labels = await Promise.all(
    ids.map(async (id) => {
      try {
        const user = await findUser(id);
        return user ? [[id, personLabel(settings, user)] as const] : [];
      } catch {
        // the page is right with the id, too
        return [];
      }
    }),
  );
  return new Map(labels.flat());
}

interface OwnersOf {
  readonly client: ClientInfo;
  readonly viewer: Viewer;
  /** As the page names the viewer, whom the site need not look up. */
  readonly viewerName: string;
  readonly pathOf: (clientId: string, action?: string) => string;
  readonly refused: RefusedInvitation | undefined;
  readonly now: Date;
}

/** What the page of an application says of its owners, in the language of the viewer. */
export async function describeOwners(
  settings: OwnerSettings,
  { client, viewer, viewerName, pathOf, refused, now }: OwnersOf,
): Promise<(translator: Translator) => object> {
  const ids = ownersOf(client);
  const labels = await labelsOf(settings, ids);
  const { canEdit, canDelete } = rightsOver(client, viewer);
  const isOwn = isOwner(client, viewer.ownerId);
  return ({ day, text }) => ({
    people: ids.map((id) => {
      const isYou = id === viewer.ownerId;
      return {
        id,
        label: labels.get(id) ?? (isYou ? viewerName : undefined),
        isYou,
        removal:
          ids.length > 1 && (isYou ? canDelete : canEdit)
            ? `${pathOf(client.clientId, '/remove-owner')}?owner=${encodeURIComponent(id)}`
            : undefined,
      };
    }),
    invitations: (client.invitations ?? [])
      .filter((invitation) => isOpen(invitation, client, now))
      .map(({ id, typed, as, expiresAt }) => ({ id, typed, as, expires: day(expiresAt) })),
    endsApproval: endsApproval(settings, client),
    canInvite: canEdit && settings.applications.findPerson !== undefined,
    canWithdraw: canEdit,
    canHandOver: isOwn,
    typed: refused?.typed ?? '',
    as: refused?.as ?? 'owner',
    problems: refused?.problem === undefined ? [] : [text(PROBLEMS[refused.problem])],
  });
}

/** Whether a change by somebody else than the host makes an application wait for approval that does not wait now. */
export function endsApproval(
  { applications: { approval } }: Pick<Settings, 'applications'>,
  { awaitsApprovalSince, trusted }: Pick<ClientInfo, 'awaitsApprovalSince' | 'trusted'>,
): boolean {
  return approval && awaitsApprovalSince === undefined && !trusted;
}

/** The invitations of a person, as their list of applications shows them. */
export async function describeInvitations(
  settings: OwnerSettings,
  invited: readonly Invited[],
  pathOf: OwnersOf['pathOf'],
) {
  const labels = await labelsOf(settings, [
    ...new Set(invited.map(({ invitation }) => invitation.invitedBy)),
  ]);
  return ({ day }: Translator) =>
    invited.map(({ client: { clientId, name }, invitation: { id, as, invitedBy, expiresAt } }) => ({
      id,
      clientId,
      name,
      as,
      invitedBy: labels.get(invitedBy),
      expires: day(expiresAt),
      href: pathOf(clientId, '/invitation'),
    }));
}
