import type { Client } from '../clients/client.js';
import type { ClientStore } from '../clients/client-store.js';
import type { Consent, ConsentStore } from './consent-store.js';
import type { ConnectedClient, DatedIds, GrantStore, ListOrder } from './grant-store.js';

/** What a user has allowed one client, all its grants together. */
interface Connection {
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** What the access is for beside this site's own API (RFC 8707). */
  readonly resources: readonly string[];
  /** What is remembered beside scopes: authorization details, and what the person has picked. */
  readonly bound: Pick<Consent, 'authorizationDetails' | 'choices' | 'endsAt'>;
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
  readonly grants: Pick<GrantStore, 'listConnected' | 'listClients' | 'findConnectedClients'>;
  readonly consents: Pick<ConsentStore, 'listOfUser' | 'listNames' | 'findOfUser'>;
  readonly clients: Pick<ClientStore, 'findAll' | 'findNames'>;
}

/** Whose list it is, and what counts as a device. */
export interface WhoseList {
  readonly userId: string;
  readonly deviceGrantTypes: readonly string[];
  readonly now: Date;
}

/** Everything that is connected, or what of it has a name that was looked for. */
export interface ConnectionList {
  /** Those that were given tokens last first, or connected since last, or in the order of their names. */
  readonly ids: readonly string[];
  /** How many there are, whatever their names. */
  readonly total: number;
  /** What is connected of some of them, in their order; what is not any more is left out. */
  readonly find: (clientIds: readonly string[]) => Promise<readonly UserAuthorization[]>;
}

/** More than anybody has; a bound on the work of one page. */
export const LIST_LIMIT = 1000;

/**
 * The clients that have access to a user's account or may come back to it unasked: two commands, however many there
 * are, and three more for those of a page. A thousand cost half as much as if all were read as a whole.
 */
export async function listConnections(
  stores: AuthorizationStores,
  whose: WhoseList,
  by: ListOrder['by'],
): Promise<ConnectionList> {
  const { userId, now } = whose;
  const list = { limit: LIST_LIMIT, by };
  const [connected, remembered] = await Promise.all([
    stores.grants.listConnected(userId, now, list),
    stores.consents.listOfUser(userId, list),
  ]);
  const ids = [...new Set([...connected.ids, ...remembered.ids])];
  return {
    ids: by === 'since' ? inOrderOf(ids, earliest(connected, remembered)) : ids,
    total: ids.length,
    find: (clientIds) => findConnections(stores, clientIds, whose),
  };
}

/** A client is connected since the first of what it was allowed, be it remembered or in use. */
export function earliest(...lists: readonly DatedIds[]): ReadonlyMap<string, number> {
  const earliestOf = new Map<string, number>();
  for (const { ids, dates } of lists)
    ids.forEach((id, index) =>
      earliestOf.set(id, Math.min(earliestOf.get(id) ?? Infinity, dates[index]?.getTime() ?? Infinity)),
    );
  return earliestOf;
}

/** The newest first; of one moment in one order, so that nothing is on two pages. */
export function inOrderOf(ids: readonly string[], dates: ReadonlyMap<string, number>): readonly string[] {
  const dateOf = (id: string) => dates.get(id) ?? 0;
  return ids.toSorted((one, other) => dateOf(other) - dateOf(one) || (one < other ? -1 : 1));
}

export async function findConnections(
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
    bound: consent ?? {},
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
