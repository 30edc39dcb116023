import type { Client } from '../clients/client.js';
import type { ClientStore } from '../clients/client-store.js';
import type { ConsentStore } from './consent-store.js';
import type { ConnectedClient, GrantStore } from './grant-store.js';

/** What a user has allowed one client, all its grants together. */
export interface Connection {
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly since: Date;
  /** When it was last given tokens; absent if it has none now and would only not have to ask again. */
  readonly renewedAt?: Date;
  /** Whether a device is among what is connected (RFC 8628). */
  readonly hasDevice: boolean;
  /** Whether one of them was allowed and has not come for its access yet. */
  readonly hasWaitingDevice: boolean;
}

/** The same, with what is known of the client. */
export interface UserAuthorization extends Connection {
  readonly name: string;
  /** Whether the host vouches for it. */
  readonly trusted: boolean;
}

/** What the list is read from. */
export interface AuthorizationStores {
  readonly grants: Pick<GrantStore, 'listConnectedClients'>;
  readonly consents: Pick<ConsentStore, 'listOfUser'>;
}

/** Whose list it is, and what counts as a device. */
export interface WhoseList {
  readonly userId: string;
  readonly deviceGrantTypes: readonly string[];
  readonly now: Date;
}

/** More than anybody has; a bound on the work of one page. */
const LIST_LIMIT = 1000;

/**
 * The clients that have access to a user's account or may come back to it unasked, those that were used last first.
 * Two commands, however many grants there are.
 */
export async function listConnections(
  { grants, consents }: AuthorizationStores,
  { userId, deviceGrantTypes, now }: WhoseList,
): Promise<readonly Connection[]> {
  const [connected, remembered] = await Promise.all([
    grants.listConnectedClients(userId, now, LIST_LIMIT),
    consents.listOfUser(userId, LIST_LIMIT),
  ]);
  const lives = new Map(connected.map((live) => [live.clientId, live]));
  const allowed = new Map(remembered.map((consent) => [consent.clientId, consent]));
  return [...new Set([...lives.keys(), ...allowed.keys()])].map((clientId) => {
    const live = lives.get(clientId);
    const consent = allowed.get(clientId);
    const dates = [live?.since, consent?.createdAt].filter((date) => date !== undefined);
    return {
      clientId,
      // what is remembered for a resource has that behind a space
      scopes: [
        ...new Set([
          ...(live?.scopes.flat() ?? []),
          ...(consent?.scopes.map((scope) => scope.replace(/ .*/, '')) ?? []),
        ]),
      ].sort(),
      since: new Date(Math.min(...dates.map((date) => date.getTime()))),
      ...describeUse(live, deviceGrantTypes),
    };
  });
}

/** One command, or none. */
export async function nameConnections(
  clients: Pick<ClientStore, 'findAll'>,
  connections: readonly Connection[],
): Promise<readonly UserAuthorization[]> {
  if (connections.length === 0) return [];
  const found = await clients.findAll(connections.map(({ clientId }) => clientId));
  const known = new Map(found.map((client) => [client.clientId, client]));
  return connections.map((connection) => ({
    ...connection,
    ...describeClient(connection.clientId, known.get(connection.clientId)),
  }));
}

function describeUse(
  live: ConnectedClient | undefined,
  deviceGrantTypes: readonly string[],
): Pick<Connection, 'renewedAt' | 'hasDevice' | 'hasWaitingDevice'> {
  if (live === undefined) return { hasDevice: false, hasWaitingDevice: false };
  const { renewedAt, grantTypes, hasWaitingDevice } = live;
  const hasDevice = grantTypes.some((name) => deviceGrantTypes.includes(name));
  return { ...(renewedAt && { renewedAt }), hasDevice, hasWaitingDevice };
}

/** A client that is gone is still listed, so that what is left of it can be ended. */
function describeClient(
  clientId: string,
  client: Client | undefined,
): Pick<UserAuthorization, 'name' | 'trusted'> {
  return { name: client?.name ?? clientId, trusted: client?.trusted ?? false };
}
