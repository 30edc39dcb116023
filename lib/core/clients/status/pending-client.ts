import { OAuthError } from '../../../shared/errors.js';
import type { Client } from '../client.js';
import { isOwner } from '../client-owners.js';

/** Refused since nobody of the site has approved the client yet: until then it is its owner's to try. */
export class PendingClient extends OAuthError {
  constructor(readonly client: Client) {
    super(
      'unauthorized_client',
      'this site has not approved the client yet; until then only its owner can authorize it',
      { reason: 'client_not_approved', detail: `client ${client.clientId} waits for approval` },
    );
  }
}

/**
 * Of a client that waits for approval, what anybody but its owner would allow; without a user it would be the
 * client's own, which is nobody's to try.
 *
 * @throws PendingClient
 */
export function refuseUnapproved(client: Client, userId: string | undefined): void {
  if (client.awaitsApprovalSince === undefined) return;
  if (!isOwner(client, userId)) throw new PendingClient(client);
}
