import type { Client } from '../clients/client.js';
import type { ClientStore } from '../clients/client-store.js';
import type { Consent, ConsentStore } from './consent-store.js';
import type { ConnectedClient, GrantStore, IdsAndFirst, ListOrder } from './grant-store.js';

/** What a user has allowed one client, all its grants together. */
interface Connection {
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** What the access is for beside this site's own API (RFC 8707). */
  readonly resources: readonly string[];
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
  /** Absent if it is gone: it is still listed, so that what is left of it can be ended. */
  readonly client?: Client;
}

/** What the list is read from. */
export interface AuthorizationStores {
  readonly grants: Pick<GrantStore, 'listConnected' | 'findConnectedClients'>;
  readonly consents: Pick<ConsentStore, 'listOfUser' | 'findOfUser'>;
  readonly clients: Pick<ClientStore, 'findAll'>;
}

/** Whose list it is, and what counts as a device. */
export interface WhoseList {
  readonly userId: string;
  readonly deviceGrantTypes: readonly string[];
  readonly now: Date;
}

/** Everything that is connected. */
export interface ConnectionList {
  /** Those that were given tokens last first, or those that are connected since last. */
  readonly ids: readonly string[];
  /** What is connected of some of them, in their order; what is not any more is left out. */
  readonly find: (clientIds: readonly string[]) => Promise<readonly UserAuthorization[]>;
}

/** More than anybody has; a bound on the work of one page. */
const LIST_LIMIT = 1000;

/**
 * The clients that have access to a user's account or may come back to it unasked. Two commands, however many grants
 * there are; to find some of them costs one more, and two behind the first of them.
 */
export async function listConnections(
  stores: AuthorizationStores,
  whose: WhoseList,
  by: ListOrder['by'] = 'renewed',
): Promise<ConnectionList> {
  const { grants, consents } = stores;
  const { userId, now } = whose;
  const list = { limit: LIST_LIMIT, by };
  const [connected, remembered] = await Promise.all([
    grants.listConnected(userId, now, list),
    consents.listOfUser(userId, list),
  ]);
  const ids = [...new Set([...connected.ids, ...remembered.ids])];
  return {
    ids: by === 'since' ? inOrderOf(ids, earliest(connected, remembered)) : ids,
    find: (clientIds) => findConnections(stores, clientIds, { ...whose, known: { connected, remembered } }),
  };
}

/** A client is connected since the first of what it was allowed, be it remembered or in use. */
function earliest(...lists: readonly IdsAndFirst<unknown>[]): ReadonlyMap<string, number> {
  const dates = new Map<string, number>();
  for (const { ids, since = [] } of lists)
    ids.forEach((id, index) =>
      dates.set(id, Math.min(dates.get(id) ?? Infinity, since[index]?.getTime() ?? Infinity)),
    );
  return dates;
}

/** The newest first; of one moment in one order, so that nothing is on two pages. */
function inOrderOf(ids: readonly string[], dates: ReadonlyMap<string, number>): readonly string[] {
  const dateOf = (id: string) => dates.get(id) ?? 0;
  return ids.toSorted((one, other) => dateOf(other) - dateOf(one) || (one < other ? -1 : 1));
}

/** What was read with the list. */
interface Known {
  readonly connected: IdsAndFirst<ConnectedClient>;
  readonly remembered: IdsAndFirst<Consent>;
}

async function findConnections(
  { grants, consents, clients }: AuthorizationStores,
  clientIds: readonly string[],
  { userId, deviceGrantTypes, now, known }: WhoseList & { readonly known?: Known },
): Promise<readonly UserAuthorization[]> {
  if (clientIds.length === 0) return [];
  const [lives, allowed, found] = await Promise.all([
    readMissing(clientIds, known?.connected, (ids) => grants.findConnectedClients(userId, ids, now)),
    readMissing(clientIds, known?.remembered, (ids) => consents.findOfUser(userId, ids)),
    clients.findAll(clientIds),
  ]);
  const names = byClient(found);
  return clientIds.flatMap((clientId) => {
    const [live, consent, client] = [lives.get(clientId), allowed.get(clientId), names.get(clientId)];
    if (live === undefined && consent === undefined) return [];
    return {
      ...toConnection(clientId, { live, consent }, deviceGrantTypes),
      name: client?.name ?? clientId,
      ...(client && { client }),
    };
  });
}

/** What is known already, and what is in the list beside; all of it where there is no list. */
async function readMissing<Of extends { readonly clientId: string }>(
  clientIds: readonly string[],
  list: IdsAndFirst<Of> | undefined,
  read: (clientIds: readonly string[]) => Promise<readonly Of[]>,
): Promise<ReadonlyMap<string, Of>> {
  const known = byClient(list?.first ?? []);
  const listed = list && new Set(list.ids);
  const missing = clientIds.filter((clientId) => !known.has(clientId) && listed?.has(clientId) !== false);
  return missing.length === 0 ? known : new Map([...known, ...byClient(await read(missing))]);
}

/** One connection; undefined if there is none. Three commands. */
export async function findConnection(
  stores: AuthorizationStores,
  clientId: string,
  whose: WhoseList,
): Promise<UserAuthorization | undefined> {
  const [connection] = await findConnections(stores, [clientId], whose);
  return connection;
}

function byClient<Of extends { readonly clientId: string }>(all: readonly Of[]): ReadonlyMap<string, Of> {
  return new Map(all.map((each) => [each.clientId, each]));
}

function toConnection(
  clientId: string,
  { live, consent }: { readonly live: ConnectedClient | undefined; readonly consent: Consent | undefined },
  deviceGrantTypes: readonly string[],
): Connection {
  const dates = [live?.since, consent?.createdAt].filter((date) => date !== undefined);
  // what is remembered for a resource has that behind a space
  const entries = (consent?.scopes ?? []).map((entry) => entry.split(' '));
  return {
    clientId,
    scopes: distinct([...(live?.scopes.flat() ?? []), ...entries.map(([scope = '']) => scope)]),
    resources: distinct([
      ...(live?.resources.flat() ?? []),
      ...entries.flatMap(([, resource]) => resource ?? []),
    ]),
    since: new Date(Math.min(...dates.map((date) => date.getTime()))),
    ...describeUse(live, deviceGrantTypes),
  };
}

function distinct(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].sort();
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
