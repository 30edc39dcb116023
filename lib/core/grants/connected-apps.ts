import type { Client } from '../clients/client.js';
import type { ClientStore } from '../clients/client-store.js';
import type { Consent, ConsentStore, NamedIds } from './consent-store.js';
import type { ConnectedClient, DatedIds, GrantStore, ListOrder } from './grant-store.js';

/** What a user has allowed one client, in all its grants together. */
interface ConnectedApp {
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** What the access is for besides this site's own API (RFC 8707). */
  readonly resources: readonly string[];
  /** What is remembered besides scopes: authorization details, and what the user has picked. */
  readonly bound: Pick<Consent, 'authorizationDetails' | 'choices' | 'endsAt'>;
  readonly since: Date;
  /** When it was last given tokens; absent if it has none now and a consent only saves it from asking again. */
  readonly renewedAt?: Date;
  /** Whether a device is among what is connected (RFC 8628). */
  readonly hasDevice: boolean;
  /** Whether a device was allowed and has not come for its tokens yet. */
  readonly hasWaitingDevice: boolean;
}

export interface UserAuthorization extends ConnectedApp {
  readonly name: string;
  /** Absent if it was deleted: it is still listed, so that what is left of it can be ended. */
  readonly client?: Client;
}

export interface AuthorizationStores {
  readonly grants: Pick<GrantStore, 'listConnected' | 'listClients' | 'findConnectedClients'>;
  readonly consents: Pick<ConsentStore, 'listOfUser' | 'listNames' | 'findOfUser'>;
  readonly clients: Pick<ClientStore, 'findAll' | 'findNames'>;
}

export interface WhoseList {
  readonly userId: string;
  readonly deviceGrantTypes: readonly string[];
  readonly now: Date;
}

/** All connections, or those with a name that was searched for. */
export interface ConnectedAppList {
  /** Ordered by when they were last given tokens or were connected, the latest first, or by name. */
  readonly ids: readonly string[];
  /** How many there are, whatever their names. */
  readonly total: number;
  /** The connections of some of them, in the order given; those that are no longer connected are left out. */
  readonly find: (clientIds: readonly string[]) => Promise<readonly UserAuthorization[]>;
}

/** More than anybody has; a bound on the work of one page. */
export const LIST_LIMIT = 1000;

/**
 * The clients that have access to a user's account or may come back to it without asking. That takes two commands for
 * any number of clients, and three more for those of a page. A thousand cost half as much as reading each one in full.
 */
export async function listConnectedApps(
  stores: AuthorizationStores,
  whose: WhoseList,
  by: ListOrder['by'],
): Promise<ConnectedAppList> {
  const { userId, now } = whose;
  const list = { limit: LIST_LIMIT, by };
  const [connected, consented] = await Promise.all([
    stores.grants.listConnected(userId, now, list),
    stores.consents.listOfUser(userId, list),
  ]);
  const ids = [...new Set([...connected.ids, ...consented.ids])];
  return {
    ids: by === 'since' ? inOrderOf(ids, earliest(connected, consented)) : ids,
    total: ids.length,
    find: (clientIds) => findConnectedApps(stores, clientIds, whose),
  };
}

/** A client has been connected since the first thing that it was allowed, whether remembered or in use. */
export function earliest(...lists: readonly DatedIds[]): ReadonlyMap<string, number> {
  const earliestOf = new Map<string, number>();
  for (const { ids, dates } of lists)
    ids.forEach((id, index) =>
      earliestOf.set(id, Math.min(earliestOf.get(id) ?? Infinity, dates[index]?.getTime() ?? Infinity)),
    );
  return earliestOf;
}

/** The newest first; those of the same moment always in the same order, so that nothing is on two pages. */
export function inOrderOf(ids: readonly string[], dates: ReadonlyMap<string, number>): readonly string[] {
  const dateOf = (id: string) => dates.get(id) ?? 0;
  return ids.toSorted((one, other) => dateOf(other) - dateOf(one) || (one < other ? -1 : 1));
}

export async function findConnectedApps(
  { grants, consents, clients }: AuthorizationStores,
  clientIds: readonly string[],
  { userId, deviceGrantTypes, now }: WhoseList,
): Promise<readonly UserAuthorization[]> {
  if (clientIds.length === 0) return [];
  const [lives, allowed, names] = await Promise.all([
    grants.findConnectedClients(userId, clientIds, now).then(byClient),
    consents.findOfUser(userId, clientIds).then(byClient),
    clients.findAll(clientIds).then(byClient),
  ]);
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

function byClient<Of extends { readonly clientId: string }>(all: readonly Of[]): ReadonlyMap<string, Of> {
  return new Map(all.map((each) => [each.clientId, each]));
}

function toConnection(
  clientId: string,
  { live, consent }: { readonly live: ConnectedClient | undefined; readonly consent: Consent | undefined },
  deviceGrantTypes: readonly string[],
): ConnectedApp {
  const dates = [live?.since, consent?.createdAt].filter((date) => date !== undefined);
  // an entry that is remembered for a resource has it after a space
  const entries = (consent?.scopes ?? []).map((entry) => entry.split(' '));
  return {
    clientId,
    scopes: distinct([...(live?.scopes.flat() ?? []), ...entries.map(([scope = '']) => scope)]),
    resources: distinct([
      ...(live?.resources.flat() ?? []),
      ...entries.flatMap(([, resource]) => resource ?? []),
    ]),
    bound: consent ?? {},
    since: new Date(Math.min(...dates.map((date) => date.getTime()))),
    ...(live?.renewedAt && { renewedAt: live.renewedAt }),
    hasDevice: live?.grantTypes.some((name) => deviceGrantTypes.includes(name)) === true,
    hasWaitingDevice: live?.hasWaitingDevice === true,
  };
}

function distinct(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].sort();
}

export interface NameFilter {
  readonly fits: (name: string) => boolean;
  readonly order: ListOrder['by'] | { readonly compare: (one: string, other: string) => number };
}

type Names = ReadonlyMap<string, string>;

/** This many are found quicker by reading all of them. */
const MANY = 100;

/**
 * Finds the connected apps of a user whose name fits. It compares the names that are stored in consents, and reads
 * grants only of clients whose name fits or, in the order of names, of those without a consent. A search among a
 * thousand takes 1.7 to 2 times as long as one among ten.
 */
export async function searchConnectedApps(
  stores: AuthorizationStores,
  whose: WhoseList,
  { fits, order }: NameFilter,
): Promise<ConnectedAppList> {
  const { grants, consents } = stores;
  const { userId, now } = whose;
  const list = { limit: LIST_LIMIT, by: typeof order === 'string' ? order : 'renewed' } as const;
  const [consented, known] = await Promise.all([
    consents.listNames(userId, list),
    grants.listClients(userId, LIST_LIMIT),
  ]);
  const all = [...new Set([...consented.ids, ...known])];
  const names = await namesOf(stores, all, consented);
  const fitting = all.filter((clientId) => fits(names.get(clientId) ?? clientId));
  const isConsented = new Set(consented.ids);
  const unsure = fitting.filter((clientId) => !isConsented.has(clientId));
  // in the order of names, a client with a consent has its place without its grants
  const sought = typeof order === 'string' ? fitting : unsure;
  const connected =
    sought.length === 0
      ? { ids: [], dates: [] }
      : await grants.listConnected(userId, now, { ...list, ...(sought.length < MANY && { among: sought }) });
  const isConnected = new Set(connected.ids);
  const ids = fitting.filter((clientId) => isConsented.has(clientId) || isConnected.has(clientId));
  return {
    ids: inOrder(ids, { order, names, connected, consented }),
    total: all.length,
    find: (clientIds) => findConnectedApps(stores, clientIds, whose),
  };
}

/** The names of clients without a consent, or whose consent has none, are read from the clients. */
async function namesOf(
  { clients }: AuthorizationStores,
  all: readonly string[],
  { ids, names }: NamedIds,
): Promise<Names> {
  const stored = new Map(ids.flatMap((clientId, index) => (names[index] ? [[clientId, names[index]]] : [])));
  const others = all.filter((clientId) => !stored.has(clientId));
  const found = others.length === 0 ? [] : await clients.findNames(others);
  for (const { clientId, name } of found) stored.set(clientId, name);
  return stored;
}

function inOrder(
  ids: readonly string[],
  by: {
    readonly order: NameFilter['order'];
    readonly names: Names;
    readonly connected: DatedIds;
    readonly consented: DatedIds;
  },
): readonly string[] {
  const { order, names, connected, consented } = by;
  if (order === 'since') return inOrderOf(ids, earliest(connected, consented));
  if (order === 'renewed') {
    // as in the whole list: those in use first
    const fitting = new Set(ids);
    const inUse = new Set(connected.ids.filter((clientId) => fitting.has(clientId)));
    const others = ids.filter((clientId) => !inUse.has(clientId));
    return [...inUse, ...inOrderOf(others, earliest(consented))];
  }
  const nameOf = (clientId: string) => names.get(clientId) ?? clientId;
  return ids.toSorted((one, other) => order.compare(nameOf(one), nameOf(other)) || order.compare(one, other));
}
