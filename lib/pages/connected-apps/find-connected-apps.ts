import type { Consent } from '../../core/grants/consent-store.js';
import type { DatedIds, ListOrder } from '../../storage/grants/grant-lists.js';
import type { Stores } from '../../storage/stores.js';

/** The access of one client to a user's account, in all its grants together. */
export type UserAuthorization = Awaited<ReturnType<typeof findConnectedApps>>[number];

interface WhoseList {
  readonly userId: string;
  readonly deviceGrantTypes: readonly string[];
  readonly now: Date;
}

/** More than any user has; a bound on the work of one page. */
const LIST_LIMIT = 1000;

/**
 * The newest first, ties by id, so that no entry is on two pages. A client has been connected since its first consent
 * or grant.
 */
function sortByDate(ids: readonly string[], lists: readonly DatedIds[]): readonly string[] {
  const earliest = new Map<string, number>();
  for (const { ids: dated, dates } of lists)
    dated.forEach((id, index) =>
      earliest.set(id, Math.min(earliest.get(id) ?? Infinity, dates[index]?.getTime() ?? Infinity)),
    );
  const dateOf = (id: string) => earliest.get(id) ?? 0;
  return ids.toSorted((one, other) => dateOf(other) - dateOf(one) || (one < other ? -1 : 1));
}

/** The connections of these clients, in this order, without clients that are no longer connected. */
export async function findConnectedApps(
  { grants, consents, clients }: Stores,
  clientIds: readonly string[],
  { userId, deviceGrantTypes, now }: WhoseList,
) {
  if (clientIds.length === 0) return [];
  const [lives, allowed, stored] = await Promise.all([
    grants.findConnectedClients(userId, clientIds, now).then(byClient),
    consents.findOfUser(userId, clientIds).then(byClient),
    clients.findAll(clientIds).then(byClient),
  ]);
  return clientIds.flatMap((clientId) => {
    const [live, consent, client] = [lives.get(clientId), allowed.get(clientId), stored.get(clientId)];
    if (live === undefined && consent === undefined) return [];
    const dates = [live?.since, consent?.createdAt].filter((date) => date !== undefined);
    // an entry for a resource is the scope, a space and the resource
    const entries = (consent?.scopes ?? []).map((entry) => entry.split(' '));
    const bound: Pick<Consent, 'authorizationDetails' | 'choices' | 'endsAt'> = consent ?? {};
    return {
      clientId,
      name: client?.name ?? clientId,
      /** Undefined if the client was deleted: the page still lists it, so that the user can end its grants. */
      client,
      scopes: distinct([...(live?.scopes.flat() ?? []), ...entries.map(([scope = '']) => scope)]),
      /** The resources of the access besides this site's API (RFC 8707). */
      resources: distinct([
        ...(live?.resources.flat() ?? []),
        ...entries.flatMap(([, resource]) => resource ?? []),
      ]),
      /** The authorization details and choices in the consent. */
      bound,
      since: new Date(Math.min(...dates.map((date) => date.getTime()))),
      /** When tokens were last issued; undefined if the client only has a consent. */
      renewedAt: live?.renewedAt,
      /** Whether a grant belongs to a device (RFC 8628). */
      hasDevice: live?.grantTypes.some((name) => deviceGrantTypes.includes(name)) === true,
      /** Whether an allowed device has not fetched its tokens yet. */
      hasWaitingDevice: live?.hasWaitingDevice === true,
    };
  });
}

function byClient<Of extends { readonly clientId: string }>(all: readonly Of[]): ReadonlyMap<string, Of> {
  return new Map(all.map((each) => [each.clientId, each]));
}

function distinct(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].sort();
}

/** From this number on, reading all clients is faster. */
const MANY = 100;

/**
 * The clients with access to a user's account, or with a consent, ordered by name or by the date of their last tokens
 * or of their connection, the latest first. `total` ignores the search.
 *
 * By date, the list takes two commands for any number of clients, and three more for one page. By name, it compares
 * names in consents, and reads grants only of clients that match, or when sorting, of those without a consent. A search
 * among a thousand takes 1.7 to 2 times as long as one among ten.
 *
 * @param search `fits` says whether a name matches; undefined: all do
 */
export async function listConnectedApps(
  { grants, consents, clients }: Stores,
  { userId, now }: WhoseList,
  search: {
    readonly fits: ((name: string) => boolean) | undefined;
    readonly order: ListOrder['by'] | Intl.Collator;
  },
) {
  const { fits = () => true, order } = search;
  const isByName = typeof order !== 'string';
  const needsNames = isByName || search.fits !== undefined;
  const list = { limit: LIST_LIMIT, by: isByName ? 'renewed' : order } as const;
  const allConnected = needsNames ? undefined : grants.listConnected(userId, now, list);
  const [consented, connectedByDate] = await Promise.all([
    consents.listNames(userId, list),
    allConnected?.then(({ ids }) => ids) ?? grants.listClients(userId, LIST_LIMIT),
  ]);
  const all = [...new Set([...consented.ids, ...connectedByDate])];

  // consents have no name of some clients; the clients have it
  const names = new Map(consented.ids.map((clientId, index) => [clientId, consented.names[index]]));
  const others = needsNames ? all.filter((clientId) => !names.get(clientId)) : [];
  const stored = others.length === 0 ? [] : await clients.findNames(others);
  for (const { clientId, name } of stored) names.set(clientId, name);
  const nameOf = (clientId: string) => names.get(clientId) || clientId;

  const fitting = all.filter((clientId) => fits(nameOf(clientId)));
  const isConsented = new Set(consented.ids);
  // when sorting by name, a client with a consent needs no grants
  const sought = isByName ? fitting.filter((clientId) => !isConsented.has(clientId)) : fitting;
  const among = sought.length < MANY ? sought : undefined;
  const connected =
    sought.length === 0 && needsNames
      ? { ids: [], dates: [] }
      : await (allConnected ?? grants.listConnected(userId, now, { ...list, among }));
  const isConnected = new Set(connected.ids);
  const ids = fitting.filter((clientId) => isConsented.has(clientId) || isConnected.has(clientId));

  let sorted: readonly string[];
  if (isByName)
    sorted = ids.toSorted(
      (one, other) => order.compare(nameOf(one), nameOf(other)) || order.compare(one, other),
    );
  else if (order === 'since') sorted = sortByDate(ids, [connected, consented]);
  else {
    // clients with tokens first
    const isListed = new Set(ids);
    const inUse = connected.ids.filter((clientId) => isListed.has(clientId));
    const unused = ids.filter((clientId) => !isConnected.has(clientId));
    sorted = [...inUse, ...sortByDate(unused, [consented])];
  }
  return { ids: sorted, total: all.length };
}
