import type { ClientInfo } from '../../core/clients/registry/client-info.js';
import type { Invited } from '../../core/clients/registry/owners.js';
import type { MessageKey } from '../../messages/index.js';
import type { Settings } from '../../settings/settings.js';
import {
  describeInvitations,
  describeOwners,
  type OwnerSettings,
  type OwnersOf,
} from '../owners/describe-owners.js';
import type { Translator } from '../rendering/translator.js';
import { rightsOver, type Viewer } from './application-access.js';

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

interface ApplicationOwners extends Pick<OwnersOf, 'viewerName' | 'refused' | 'now'> {
  readonly client: ClientInfo;
  readonly viewer: Viewer;
  readonly pathOf: (clientId: string, action?: string) => string;
}

/** What the page of an application says of its owners, in the language of the viewer. */
export async function describeApplicationOwners(
  settings: OwnerSettings,
  { client, viewer, pathOf, ...rest }: ApplicationOwners,
) {
  const { canEdit, canDelete } = rightsOver(client, viewer);
  const describe = await describeOwners(settings, {
    ...rest,
    shared: client,
    viewerId: viewer.ownerId,
    canInvite: canEdit,
    canWithdraw: canEdit,
    canRemove: (isYou) => (isYou ? canDelete : canEdit),
    removalOf: (id) => `${pathOf(client.clientId, '/remove-owner')}?owner=${encodeURIComponent(id)}`,
  });
  const ends = endsApproval(settings, client);
  return (translator: Translator) => ({
    ...describe(translator),
    meaning: translator.text('owners.meaning'),
    personMeaning: translator.text('owners.personMeaning'),
    showsIds: viewer.isAdministrator,
    notes: [
      ...(client.verified === true ? [translator.text('owners.verifiedEnds')] : []),
      ...(ends ? [translator.text('owners.approvalEnds')] : []),
    ],
  });
}

/** Whether a change by somebody else than the site makes an application wait for approval that does not wait now. */
export function endsApproval(
  { applications: { approval } }: Pick<Settings, 'applications'>,
  { awaitsApprovalSince, trusted }: Pick<ClientInfo, 'awaitsApprovalSince' | 'trusted'>,
): boolean {
  return approval && awaitsApprovalSince === undefined && !trusted;
}

/** The invitations of a user, as their list of applications shows them. */
export function describeClientInvitations(
  settings: OwnerSettings,
  invited: readonly Invited[],
  pathOf: ApplicationOwners['pathOf'],
) {
  return describeInvitations(
    settings,
    invited.map(({ client: { clientId, name }, invitation }) => ({
      name,
      invitation,
      href: pathOf(clientId, '/invitation'),
    })),
  );
}
