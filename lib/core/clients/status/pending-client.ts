import { OAuthError } from '../../../shared/errors.js';
import type { Client } from '../client.js';
import { isOwner } from '../client-owners.js';

/** Refused because the site has not approved the client yet: until then only its owner can try it. */
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
 * Refuses a client that waits for approval, unless its owner authorizes it; without a user there is no owner.
 *
 * @throws PendingClient
 */
export function refuseUnapproved(client: Client, userId: string | undefined): void {
  if (client.awaitsApprovalSince === undefined) return;
  if (!isOwner(client, userId)) throw new PendingClient(client);
}
