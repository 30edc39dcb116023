import type { Grant } from '../../core/grants/grant.js';
import { kindOf } from '../../core/grants/named-token.js';
import type { OAuthEvent } from '../../core/observability/events.js';
import type { Stores } from '../../storage/stores.js';
import type { NotificationKind } from './options.js';

/** An event about which users are notified. */
export interface Occasion {
  readonly kind: NotificationKind;
  readonly userIds: readonly string[];
  /** Identifies an occasion that several events report, so that its messages are stored once. */
  readonly once?: string | undefined;
  readonly clientId: string;
  /** The name of the application or of the token. */
  readonly name?: string | undefined;
  /** Only for tokens. */
  readonly tokenId?: string;
  readonly expiresAt?: string;
  readonly scopes: readonly string[];
}

/** Milliseconds. A document that is younger may come from the consent of this event. */
const JUST_NOW = 5000;

/**
 * The notification for an event: the users and the kind; undefined if none. A request with `prompt=none` gives no
 * consent, so a user who comes back to an app gets no message.
 */
export async function findOccasion(
  event: OAuthEvent,
  { clients, consents, grants }: Stores,
): Promise<Occasion | undefined> {
  const ofNamedToken = async (kind: NotificationKind, grantId = '') => {
    const grant = await grants.find(grantId);
    return grant?.namedToken && occasionOfToken(kind, grant);
  };
  switch (event.type) {
    case 'consent.given': {
      const { userId, clientId, grantId, scopes, time } = event;
      const occasion = { userIds: [userId], clientId, scopes };
      // the consent for a device has its grant; each device is a new one
      if (grantId !== undefined) return { ...occasion, kind: 'newDevice' };
      // What the client could do before this consent. The consent may already be stored, so younger documents do not
      // count. If that hides an older consent of an app without tokens, the user gets one message too many, never one
      // too few.
      const isBefore = (date: Date) => time.getTime() - date.getTime() > JUST_NOW;
      const [[consent], [connected]] = await Promise.all([
        consents.findOfUser(userId, [clientId]),
        grants.findConnectedClients(userId, [clientId], time),
      ]);
      const isConsented = consent !== undefined && isBefore(consent.createdAt);
      const isConnected = connected !== undefined && isBefore(connected.since);
      if (!isConsented && !isConnected) return { ...occasion, kind: 'newApp' };
      // an entry for a resource is the scope, a space and the resource
      const consented =
        isConsented && isBefore(consent.updatedAt) ? consent.scopes.map((entry) => entry.split(' ')[0]) : [];
      const before = new Set([...consented, ...(isConnected ? connected.scopes.flat() : [])]);
      const more = scopes.filter((scope) => !before.has(scope));
      return more.length === 0 ? undefined : { ...occasion, kind: 'moreScopes', scopes: more };
    }
    case 'token.issued': {
      // most tokens belong to apps, and need no lookup
      const { grantId, grantType } = event;
      const isNamed = grantType === undefined || ['personal', 'service'].includes(kindOf({ grantType }));
      return isNamed ? ofNamedToken('newToken', grantId) : undefined;
    }
    case 'grant.revoked':
      return event.reason === 'token_leaked' ? ofNamedToken('tokenLeaked', event.grantId) : undefined;
    case 'token.blocked':
      return ofNamedToken('tokenBlocked', event.grantId);
    case 'refresh.reused':
    case 'code.replayed': {
      const { userId, clientId } = event;
      return userId === undefined
        ? undefined
        : { kind: 'reuseDetected', userIds: [userId], clientId, scopes: [] };
    }
    case 'client.blocked': {
      const { clientId } = event;
      const { ownerId, coOwnerIds = [], name } = (await clients.find(clientId)) ?? {};
      const userIds = ownerId === undefined ? coOwnerIds : [ownerId, ...coOwnerIds];
      return userIds.length === 0 ? undefined : { kind: 'appBlocked', userIds, clientId, name, scopes: [] };
    }
    default:
      return undefined;
  }
}

export function occasionOfToken(kind: NotificationKind, grant: Grant) {
  const { grantId: tokenId, clientId, authorization, namedToken } = grant;
  const { userId, scopes } = authorization;
  const { name, owners = [] } = namedToken ?? {};
  return { kind, userIds: userId === undefined ? owners : [userId], clientId, name, tokenId, scopes };
}
