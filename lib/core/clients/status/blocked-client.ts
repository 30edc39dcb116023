import { OAuthError } from '../../../shared/errors.js';
import type { Client } from '../client.js';

/**
 * Refused because an administrator has blocked the client. RFC 6749 §5.2: it is who it says, but may do nothing. It is
 * not `invalid_grant`, at which a client throws its refresh token away: what users have granted is kept.
 */
export class BlockedClient extends OAuthError {
  constructor(
    readonly client: Client,
    status?: number,
  ) {
    super('unauthorized_client', 'this site has blocked the client; ask the people who run the site', {
      status,
      reason: 'client_blocked',
      detail: `client ${client.clientId} is blocked${client.blocked?.reason ? `: ${client.blocked.reason}` : ''}`,
    });
  }
}

/** @throws BlockedClient */
export function refuseBlocked(client: Client, status?: number): void {
  if (client.blocked !== undefined) throw new BlockedClient(client, status);
}

/**
 * The same, going by a grant that was just read as well: the client may be a remembered one, which another process has
 * blocked a moment ago.
 *
 * @throws BlockedClient
 */
export function refuseBlockedGrant(grant: { readonly blockedAt?: Date }, client: Client): void {
  if (grant.blockedAt !== undefined) throw new BlockedClient(client);
}
