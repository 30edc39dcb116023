import { kindOf } from '../../core/grants/named-token.js';
import type { OAuthEvent } from '../../core/observability/events.js';
import type { Stores } from '../../storage/stores.js';
import type { NotificationKind } from './options.js';
import { findPriorScopes } from './prior-access.js';

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

type Models = Pick<Stores, 'clients' | 'consents' | 'grants'>;

/**
 * Whom an event concerns, and how; undefined if nobody is told of it. A silent request gives no consent, so a user
 * who comes back to an app is not told.
 */
export async function findOccasion(event: OAuthEvent, models: Models): Promise<Occasion | undefined> {
  switch (event.type) {
    case 'consent.given':
      return ofConsent(event, models);
    case 'token.issued':
      return ofNamedToken(event, 'newToken', models);
    case 'grant.revoked':
      return event.reason === 'token_leaked' ? ofNamedToken(event, 'tokenLeaked', models) : undefined;
    case 'token.blocked':
      return ofNamedToken(event, 'tokenBlocked', models);
    case 'refresh.reused':
    case 'code.replayed':
      return ofReuse(event);
    case 'client.blocked':
      return ofBlockedApp(event, models);
    default:
      return undefined;
  }
}

async function ofConsent(
  { userId, clientId, grantId, scopes, time }: OAuthEvent<'consent.given'>,
  models: Models,
): Promise<Occasion | undefined> {
  const occasion = { userIds: [userId], clientId, scopes };
  // the answer to a device names its grant; each device is a new one
  if (grantId !== undefined) return { ...occasion, kind: 'newDevice' };
  const before = await findPriorScopes(models, { userId, clientId, time });
  if (before === undefined) return { ...occasion, kind: 'newApp' };
  const more = scopes.filter((scope) => !before.includes(scope));
  return more.length === 0 ? undefined : { ...occasion, kind: 'moreScopes', scopes: more };
}

async function ofNamedToken(
  { grantId = '', grantType }: { readonly grantId?: string; readonly grantType?: string },
  kind: 'newToken' | 'tokenLeaked' | 'tokenBlocked',
  { grants }: Models,
): Promise<Occasion | undefined> {
  // most tokens are those of apps, and are not looked up
  if (grantType !== undefined && !['personal', 'service'].includes(kindOf({ grantType }))) return undefined;
  const grant = await grants.find(grantId);
  if (grant?.namedToken === undefined) return undefined;
  const { userId, scopes } = grant.authorization;
  const { name, owners = [] } = grant.namedToken;
  return {
    kind,
    userIds: userId === undefined ? owners : [userId],
    clientId: grant.clientId,
    name,
    tokenId: grantId,
    scopes,
  };
}

function ofReuse({ userId, clientId }: { readonly userId?: string; readonly clientId: string }) {
  return userId === undefined
    ? undefined
    : ({ kind: 'reuseDetected', userIds: [userId], clientId, scopes: [] } as const);
}

async function ofBlockedApp(
  { clientId }: OAuthEvent<'client.blocked'>,
  { clients }: Models,
): Promise<Occasion | undefined> {
  const client = await clients.find(clientId);
  if (client === null) return undefined;
  const { ownerId, coOwnerIds = [], name } = client;
  const userIds = [...(ownerId === undefined ? [] : [ownerId]), ...coOwnerIds];
  return userIds.length === 0 ? undefined : { kind: 'appBlocked', userIds, clientId, name, scopes: [] };
}
