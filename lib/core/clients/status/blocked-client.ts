import { OAuthError } from '../../../shared/errors.js';
import type { Client } from '../client.js';

/**
 * Refused because an administrator has blocked the client. RFC 6749 §5.2: the client is authenticated, but not
 * authorized. After `invalid_grant` a client would discard its refresh token, but the users' grants are kept.
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
 * Refuses a blocked client, or a client whose grant is marked as blocked: the client may come from the cache, and
 * another process may have blocked it a moment ago.
 *
 * @throws BlockedClient
 */
export function refuseBlockedGrant(grant: { readonly blockedAt?: Date }, client: Client): void {
  if (grant.blockedAt !== undefined) throw new BlockedClient(client);
}
