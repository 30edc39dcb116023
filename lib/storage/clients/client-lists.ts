import type { Client } from '../../core/clients/client.js';
import { type ClientListName, type Listed, searchKeyOf } from '../../core/clients/client-lists.js';
import type { ClientStore } from '../../core/clients/client-store.js';
import type { CustomClientFields } from '../../shared/custom-fields.js';
import type { Collection, Filter } from '../connection/collection.js';
import type { Formatted } from '../connection/model.js';

/** A stored client. */
export type StoredClient = Omit<Client, 'clientId' | 'custom'> &
  CustomClientFields &
  Formatted & { readonly _id: string; readonly listed?: Listed };

/** Appended to a prefix, it sorts after every text with that prefix. */
const LAST = '\u{10ffff}';

/** Maximum number of clients that are compared because of one name. */
const MAX_NAMESAKES = 50;

/** Set for each unused client, at the same time as `createdAt`. */
const UNUSED = 'registration.unusedSince';

/** A position in a list, the newest first. */
export interface ClientPlace {
  readonly date: Date;
  readonly id: string;
}

/** A page of the list of all clients, or of another list; `unused` has only clients that registered themselves. */
export interface ClientListQuery {
  readonly limit: number;
  readonly list?: ClientListName | 'unused' | undefined;
  /** The last client of the previous page. */
  readonly after?: ClientPlace | undefined;
  /** The first client of the next page, instead of `after`. */
  readonly before?: ClientPlace | undefined;
}

/** The lists of clients; a part of the client store. */
export function createClientLists(
  clients: Collection<StoredClient>,
  toClient: (stored: StoredClient) => Client,
) {
  const find = async (...query: Parameters<typeof clients.find>) =>
    (await clients.find(...query)).map(toClient);
  return {
    /** All clients in the order of their ids, at most `limit`; with `after` only those after this id. */
    list: (limit: number, after?: string) =>
      find(after === undefined ? {} : { _id: { $gt: after } }, { sort: { _id: 1 }, limit }),
    findAll: (ids: readonly string[]) => find({ _id: { $in: ids } }),
    async findNames(ids) {
      // one document: sending a thousand costs more than finding them
      const [all] = await clients.aggregate<{ found: { clientId: string; name: string }[] }>([
        { $match: { _id: { $in: ids } } },
        { $group: { _id: null, found: { $push: { clientId: '$_id', name: '$name' } } } },
      ]);
      return all?.found ?? [];
    },
    /** The clients of a list, the newest first; with `after` or `before` only those on that side. */
    async listNewest({ limit, list, after, before }: ClientListQuery) {
      const date = list === 'unused' ? UNUSED : 'createdAt';
      const direction = before === undefined ? -1 : 1;
      const [than, thanOrEqual] = before === undefined ? ['$lt', '$lte'] : ['$gt', '$gte'];
      const place = before ?? after;
      const filter: Record<string, unknown> = {};
      if (list === 'unused') filter[date] = { $exists: true };
      else if (list !== undefined) filter['listed.lists'] = list;
      // the range is repeated beside the alternatives, so that the index scan begins there
      if (place !== undefined) {
        filter[date] = { [thanOrEqual]: place.date };
        filter.$or = [{ [date]: { [than]: place.date } }, { _id: { [than]: place.id } }];
      }
      const page = await find(filter, { sort: { [date]: direction, _id: direction }, limit });
      return before === undefined ? page : page.reverse();
    },
    listOfOwner: (ownerId, limit) => find(ownedBy(ownerId), { sort: { createdAt: -1 }, limit }),
    listInvited: (userId, limit) => find({ 'invitations.userId': userId }, { limit }),
    idsOfPerson: (userId) => {
      const paths = ['ownerId', 'coOwnerIds', 'invitations.userId', 'invitations.invitedBy'];
      const ids = clients.findIds({ $or: paths.map((path) => ({ [path]: userId })) });
      return ids as AsyncIterable<readonly string[]>;
    },
    /** The clients of some owners, in no order, at most `limit`. */
    listOfOwners: (ownerIds: readonly string[], limit: number) => find(ownedBy({ $in: ownerIds }), { limit }),
    /** Clients by the beginning of a word of their name, of their id or of a host, in no order, at most `limit`. */
    search(typed: string, limit: number) {
      const key = searchKeyOf(typed);
      // both bounds for one key: otherwise different keys of the list could match one bound each
      const range = { $elemMatch: { $gte: key, $lt: `${key}${LAST}` } };
      return find({ 'listed.keys': range }, { limit });
    },
    async findByName(skeletons, { clientId, ownerId }) {
      const filter: Record<string, unknown> = { 'listed.skeleton': { $in: skeletons } };
      if (clientId !== undefined) filter._id = { $ne: clientId };
      if (ownerId !== undefined) filter.ownerId = { $ne: ownerId };
      const namesake = { projection: { name: 1, redirectUris: 1 }, limit: MAX_NAMESAKES } as const;
      const matching = await clients.find(filter, namesake);
      return matching.map(({ _id, name, redirectUris }) => ({ clientId: _id, name, redirectUris }));
    },
  } satisfies Partial<ClientStore> & Record<string, unknown>;
}

/** Each alternative uses its own index. */
function ownedBy(owner: string | { readonly $in: readonly string[] }): Filter {
  return { $or: [{ ownerId: owner }, { coOwnerIds: owner }] };
}
