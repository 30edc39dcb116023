import {
  type AuthorizationStores,
  type ConnectionList,
  earliest,
  findConnections,
  inOrderOf,
  LIST_LIMIT,
  type WhoseList,
} from './connected-apps.js';
import type { NamedIds } from './consent-store.js';
import type { DatedIds, ListOrder } from './grant-store.js';

/** Which connections are wanted, by name. */
export interface NameWish {
  readonly fits: (name: string) => boolean;
  readonly order: ListOrder['by'] | { readonly compare: (one: string, other: string) => number };
}

type Names = ReadonlyMap<string, string>;

/** This many are found quicker by reading all of them. */
const MANY = 100;

/**
 * The connections of a user whose name fits. Names are stored in the consents, and an index says which clients have
 * grants. So grants are read only of clients that fit or, in the order of names, of those without a consent. A thousand
 * take 1.7 to 2 times as long as ten (Rust build of SecantusDB); with the names read from the clients it was 3.3 times.
 */
export async function listNamedConnections(
  stores: AuthorizationStores,
  whose: WhoseList,
  { fits, order }: NameWish,
): Promise<ConnectionList> {
  const { grants, consents } = stores;
  const { userId, now } = whose;
  const list = { limit: LIST_LIMIT, by: typeof order === 'string' ? order : 'renewed' } as const;
  const [remembered, known] = await Promise.all([
    consents.listNames(userId, list),
    grants.listClients(userId, LIST_LIMIT),
  ]);
  const all = [...new Set([...remembered.ids, ...known])];
  const names = await namesOf(stores, all, remembered);
  const fitting = all.filter((clientId) => fits(names.get(clientId) ?? clientId));
  const isRemembered = new Set(remembered.ids);
  const unsure = fitting.filter((clientId) => !isRemembered.has(clientId));
  // in the order of names, a client with a consent has its place without its grants
  const sought = typeof order === 'string' ? fitting : unsure;
  const connected =
    sought.length === 0
      ? { ids: [], dates: [] }
      : await grants.listConnected(userId, now, { ...list, ...(sought.length < MANY && { among: sought }) });
  const isConnected = new Set(connected.ids);
  const ids = fitting.filter((clientId) => isRemembered.has(clientId) || isConnected.has(clientId));
  return {
    ids: inOrder(ids, { order, names, connected, remembered }),
    total: all.length,
    find: (clientIds) => findConnections(stores, clientIds, whose),
  };
}

/** The names of consents from before 0.2, and of clients without a consent, are read from the clients. */
async function namesOf(
  { clients }: AuthorizationStores,
  all: readonly string[],
  { ids, names }: NamedIds,
): Promise<Names> {
  const kept = new Map(ids.flatMap((clientId, index) => (names[index] ? [[clientId, names[index]]] : [])));
  const others = all.filter((clientId) => !kept.has(clientId));
  const found = others.length === 0 ? [] : await clients.findNames(others);
  for (const { clientId, name } of found) kept.set(clientId, name);
  return kept;
}

function inOrder(
  ids: readonly string[],
  {
    order,
    names,
    connected,
    remembered,
  }: {
    readonly order: NameWish['order'];
    readonly names: Names;
    readonly connected: DatedIds;
    readonly remembered: DatedIds;
  },
): readonly string[] {
  if (order === 'since') return inOrderOf(ids, earliest(connected, remembered));
  if (order === 'renewed') {
    // as in the whole list: those in use first
    const fitting = new Set(ids);
    const inUse = new Set(connected.ids.filter((clientId) => fitting.has(clientId)));
    const others = ids.filter((clientId) => !inUse.has(clientId));
    return [...inUse, ...inOrderOf(others, earliest(remembered))];
  }
  const nameOf = (clientId: string) => names.get(clientId) ?? clientId;
  return ids.toSorted((one, other) => order.compare(nameOf(one), nameOf(other)) || order.compare(one, other));
}
