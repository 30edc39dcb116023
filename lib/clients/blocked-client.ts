import { OAuthError } from '../errors.js';
import type { Client } from './client.js';

type Blocked = Pick<Client, 'clientId' | 'name' | 'ownerId' | 'blocked'>;

/**
 * Refused since an administrator has blocked the client. RFC 6749 §5.2: it is who it says, and may do nothing. Not
 * `invalid_grant`: what people have granted is kept, and a client that hears that throws its refresh token away.
 */
export class BlockedClient extends OAuthError {
  readonly client: Pick<Client, 'name'>;

  constructor(client: Blocked, status?: number) {
    super('unauthorized_client', 'this site has blocked the client; ask the people who run the site', {
      ...(status !== undefined && { status }),
      reason: 'client_blocked',
      detail: `client ${client.clientId} is blocked${client.blocked?.reason ? `: ${client.blocked.reason}` : ''}`,
    });
    this.client = client;
  }
}

/** @throws BlockedClient */
export function refuseBlocked(client: Blocked, status?: number): void {
  if (client.blocked !== undefined) throw new BlockedClient(client, status);
}

/**
 * The same by a grant that was just read: the client beside it may be a remembered one, which another process has
 * blocked a moment ago.
 *
 * @throws BlockedClient
 */
export function refuseBlockedGrant(grant: { readonly blockedAt?: Date }, client: Blocked): void {
  if (grant.blockedAt !== undefined) throw new BlockedClient(client);
}
