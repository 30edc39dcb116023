import type { Consent } from '../../core/grants/consent-store.js';
import type { DatedIds, ListOrder } from '../../storage/grants/grant-lists.js';
import type { Stores } from '../../storage/stores.js';

/** What a user has allowed one client, in all its grants together. */
export type UserAuthorization = Awaited<ReturnType<typeof findConnectedApps>>[number];

interface WhoseList {
  readonly userId: string;
  readonly deviceGrantTypes: readonly string[];
  readonly now: Date;
}

/** More than anybody has; a bound on the work of one page. */
const LIST_LIMIT = 1000;

/**
 * The newest first; those of the same moment always in the same order, so that nothing is on two pages. A client has
 * been connected since the first thing that it was allowed, whether remembered or in use.
 */
function inOrderOf(ids: readonly string[], lists: readonly DatedIds[]): readonly string[] {
  const earliest = new Map<string, number>();
  for (const { ids: dated, dates } of lists)
    dated.forEach((id, index) =>
      earliest.set(id, Math.min(earliest.get(id) ?? Infinity, dates[index]?.getTime() ?? Infinity)),
    );
  const dateOf = (id: string) => earliest.get(id) ?? 0;
  return ids.toSorted((one, other) => dateOf(other) - dateOf(one) || (one < other ? -1 : 1));
}

/** The connections with some clients, in the order given; those that are no longer connected are left out. */
export async function findConnectedApps(
  { grants, consents, clients }: Stores,
  clientIds: readonly string[],
  { userId, deviceGrantTypes, now }: WhoseList,
) {
  if (clientIds.length === 0) return [];
  const [lives, allowed, found] = await Promise.all([
    grants.findConnectedClients(userId, clientIds, now).then(byClient),
    consents.findOfUser(userId, clientIds).then(byClient),
    clients.findAll(clientIds).then(byClient),
  ]);
  return clientIds.flatMap((clientId) => {
    const [live, consent, client] = [lives.get(clientId), allowed.get(clientId), found.get(clientId)];
    if (live === undefined && consent === undefined) return [];
    const dates = [live?.since, consent?.createdAt].filter((date) => date !== undefined);
    // an entry that is remembered for a resource has it after a space
    const entries = (consent?.scopes ?? []).map((entry) => entry.split(' '));
    const bound: Pick<Consent, 'authorizationDetails' | 'choices' | 'endsAt'> = consent ?? {};
    return {
      clientId,
      name: client?.name ?? clientId,
      /** Undefined if it was deleted: it is still listed, so that what is left of it can be ended. */
      client,
      scopes: distinct([...(live?.scopes.flat() ?? []), ...entries.map(([scope = '']) => scope)]),
      /** What the access is for besides this site's own API (RFC 8707). */
      resources: distinct([
        ...(live?.resources.flat() ?? []),
        ...entries.flatMap(([, resource]) => resource ?? []),
      ]),
      /** What is remembered besides scopes: authorization details, and what the user has picked. */
      bound,
      since: new Date(Math.min(...dates.map((date) => date.getTime()))),
      /** When it was last given tokens; undefined if a consent only saves it from asking again. */
      renewedAt: live?.renewedAt,
      /** Whether a device is among what is connected (RFC 8628). */
      hasDevice: live?.grantTypes.some((name) => deviceGrantTypes.includes(name)) === true,
      /** Whether a device was allowed and has not come for its tokens yet. */
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

/** This many are found quicker by reading all of them. */
const MANY = 100;

/**
 * The clients that have access to a user's account or may come back to it without asking, ordered by when they were last
 * given tokens or were connected, the latest first, or by name. `total` is how many there are, whatever their names.
 *
 * All of them by date take two commands for any number of clients, and three more for those of a page. With names it
 * compares those that are stored in consents, and reads grants only of clients whose name fits or, in the order of
 * names, of those without a consent. A search among a thousand takes 1.7 to 2 times as long as one among ten.
 *
 * @param search `fits` says whether a name is one that was searched for; undefined: each is
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
  const [consented, known] = await Promise.all([
    consents.listNames(userId, list),
    allConnected?.then(({ ids }) => ids) ?? grants.listClients(userId, LIST_LIMIT),
  ]);
  const all = [...new Set([...consented.ids, ...known])];

  // the names of clients without a consent, or whose consent has none, are read from the clients
  const names = new Map(consented.ids.map((clientId, index) => [clientId, consented.names[index]]));
  const others = needsNames ? all.filter((clientId) => !names.get(clientId)) : [];
  const found = others.length === 0 ? [] : await clients.findNames(others);
  for (const { clientId, name } of found) names.set(clientId, name);
  const nameOf = (clientId: string) => names.get(clientId) || clientId;

  const fitting = all.filter((clientId) => fits(nameOf(clientId)));
  const isConsented = new Set(consented.ids);
  // in the order of names, a client with a consent has its place without its grants
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
  else if (order === 'since') sorted = inOrderOf(ids, [connected, consented]);
  else {
    // those in use first
    const isListed = new Set(ids);
    const inUse = connected.ids.filter((clientId) => isListed.has(clientId));
    const unused = ids.filter((clientId) => !isConnected.has(clientId));
    sorted = [...inUse, ...inOrderOf(unused, [consented])];
  }
  return { ids: sorted, total: all.length };
}
