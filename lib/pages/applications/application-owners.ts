import type { ClientInfo } from '../../core/clients/registry/client-info.js';
import type { Settings } from '../../settings/settings.js';
import type { Visit } from '../account-pages.js';
import type { Owned } from '../owner-pages.js';
import type { Translator } from '../rendering/translator.js';
import { type ApplicationsContext, isAdministrator, rightsOver } from './application-access.js';

export function toOwnedApplication(context: ApplicationsContext, client: ClientInfo, visit: Visit): Owned {
  const { canEdit, canDelete } = rightsOver(context, client, visit);
  return {
    id: client.clientId,
    name: client.name,
    shared: client,
    canShare: canEdit,
    canRemove: (isYou) => (isYou ? canDelete : canEdit),
    by: { userId: visit.userId, isHost: isAdministrator(visit) },
  };
}

/** The states of an application that a new owner ends. */
export function describeEndings(client: ClientInfo, settings: Settings, text: Translator['text']) {
  return [
    ...(client.verified === true ? [text('owners.verifiedEnds')] : []),
    ...(endsApproval(settings, client) ? [text('owners.approvalEnds')] : []),
  ];
}

/** Whether a change by anybody but the site makes the application wait for a new approval. */
export function endsApproval({ applications }: Settings, { awaitsApprovalSince, trusted }: ClientInfo) {
  return applications.approval && awaitsApprovalSince === undefined && !trusted;
}
