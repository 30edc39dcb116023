import type { Grant } from '../../core/grants/grant.js';
import { kindOf } from '../../core/grants/named-token.js';
import type { OAuthEvent } from '../../core/observability/events.js';
import type { Stores } from '../../storage/stores.js';
import type { NotificationKind } from './options.js';

/** Something of which users are told. */
export interface Occasion {
  readonly kind: NotificationKind;
  readonly userIds: readonly string[];
  /** Identifies an occasion that may be found more than once, so that its messages are stored once. */
  readonly once?: string | undefined;
  readonly clientId: string;
  /** The application, or the token. */
  readonly name?: string | undefined;
  /** Of a token. */
  readonly tokenId?: string;
  readonly expiresAt?: string;
  readonly scopes: readonly string[];
}

/** What somebody decides at this moment may have been stored by now; milliseconds. */
const JUST_NOW = 5000;

/**
 * Whom an event concerns, and how; undefined if nobody is told of it. A silent request gives no consent, so a user
 * who comes back to an app is not told.
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
      // the answer to a device names its grant; each device is a new one
      if (grantId !== undefined) return { ...occasion, kind: 'newDevice' };
      // What the client could do before the user was asked just now. The answer may be stored at the same moment, so what
      // is that young does not count: if that loses what an app without tokens had before, its user is told once too
      // often, never too seldom.
      const isBefore = (date: Date) => time.getTime() - date.getTime() > JUST_NOW;
      const [[consent], [connected]] = await Promise.all([
        consents.findOfUser(userId, [clientId]),
        grants.findConnectedClients(userId, [clientId], time),
      ]);
      const isConsented = consent !== undefined && isBefore(consent.createdAt);
      const isConnected = connected !== undefined && isBefore(connected.since);
      if (!isConsented && !isConnected) return { ...occasion, kind: 'newApp' };
      // a scope that is remembered for a resource has it after a space
      const consented =
        isConsented && isBefore(consent.updatedAt) ? consent.scopes.map((entry) => entry.split(' ')[0]) : [];
      const before = new Set([...consented, ...(isConnected ? connected.scopes.flat() : [])]);
      const more = scopes.filter((scope) => !before.has(scope));
      return more.length === 0 ? undefined : { ...occasion, kind: 'moreScopes', scopes: more };
    }
    case 'token.issued': {
      // most tokens are those of apps, and are not looked up
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
