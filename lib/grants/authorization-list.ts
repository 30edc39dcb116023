import type { Client } from '../clients/client.js';
import type { ClientStore } from '../clients/client-store.js';
import type { ConsentStore } from './consent-store.js';
import type { GrantStore } from './grant-store.js';

/** What a user has allowed one client, all its grants together. */
export interface UserAuthorization {
  readonly clientId: string;
  readonly name: string;
  /** Whether the host vouches for it. */
  readonly trusted: boolean;
  readonly scopes: readonly string[];
  readonly since: Date;
  /** When it was last given tokens; absent if it has none now and would only not have to ask again. */
  readonly renewedAt?: Date;
  /** Whether a device is among what is connected (RFC 8628). */
  readonly hasDevice: boolean;
}

/** What the list is read from. */
export interface AuthorizationStores {
  readonly grants: Pick<GrantStore, 'listConnectedClients'>;
  readonly consents: Pick<ConsentStore, 'listOfUser'>;
  readonly clients: Pick<ClientStore, 'findAll'>;
}

/** Whose list it is, and what counts as a device. */
export interface WhoseList {
  readonly userId: string;
  readonly deviceGrantTypes: readonly string[];
  readonly now: Date;
}

const LIST_LIMIT = 200;

/**
 * The clients that have access to a user's account or may come back to it unasked, those that were used last first.
 * Three commands, however many grants there are.
 */
export async function listAuthorizations(
  { grants, consents, clients }: AuthorizationStores,
  { userId, deviceGrantTypes, now }: WhoseList,
): Promise<readonly UserAuthorization[]> {
  const [connected, remembered] = await Promise.all([
    grants.listConnectedClients(userId, now, LIST_LIMIT),
    consents.listOfUser(userId, LIST_LIMIT),
  ]);
  const ids = [
    ...new Set([...connected.map(({ clientId }) => clientId), ...remembered.map(({ clientId }) => clientId)]),
  ];
  if (ids.length === 0) return [];
  const known = new Map((await clients.findAll(ids)).map((client) => [client.clientId, client]));
  return ids.map((clientId) => {
    const live = connected.find((candidate) => candidate.clientId === clientId);
    const consent = remembered.find((candidate) => candidate.clientId === clientId);
    const dates = [live?.since, consent?.createdAt].filter((date) => date !== undefined);
    return {
      ...describeClient(clientId, known.get(clientId)),
      // what is remembered for a resource has that behind a space
      scopes: [
        ...new Set([
          ...(live?.scopes.flat() ?? []),
          ...(consent?.scopes.map((scope) => scope.replace(/ .*/, '')) ?? []),
        ]),
      ].sort(),
      since: new Date(Math.min(...dates.map((date) => date.getTime()))),
      ...(live && { renewedAt: live.renewedAt }),
      hasDevice: live?.grantTypes.some((name) => deviceGrantTypes.includes(name)) ?? false,
    };
  });
}

/** A client that is gone is still listed, so that what is left of it can be ended. */
function describeClient(
  clientId: string,
  client: Client | undefined,
): Pick<UserAuthorization, 'clientId' | 'name' | 'trusted'> {
  return { clientId, name: client?.name ?? clientId, trusted: client?.trusted ?? false };
}
