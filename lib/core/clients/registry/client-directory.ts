import type { Client } from '../client.js';
import { searchKeyOf } from '../client-lists.js';
import type { ClientListQuery, ClientPlace, ClientStores } from '../client-store.js';
import { type ClientInfo, toClientInfo } from './client-info.js';

export interface ClientUsage {
  /** Users who have allowed it, or have a grant that is not revoked. */
  readonly users: number;
  /** Whether there may be more, since counting stops somewhere. */
  readonly isAtLeast: boolean;
  /** When its newest tokens were issued; absent if it has no grant that is still stored. */
  readonly lastUsedAt?: Date | undefined;
}

export interface ClientPage {
  readonly clients: readonly ClientInfo[];
  /** For the next part; absent at the end. */
  readonly next?: string | undefined;
  /** For the part before; absent at the beginning. */
  readonly previous?: string | undefined;
}

export interface ClientPageQuery {
  readonly list?: ClientListQuery['list'];
  readonly after?: string | undefined;
  readonly before?: string | undefined;
}

/** How many users are counted and how many new grants are read for a client: a list has many clients. */
export const USAGE_LIMITS = { ofOne: 1000, inList: 100 } as const;
export const PAGE_SIZE = 20;
const MAX_FOUND = 20;

/** What the applications pages ask about clients beside their registrations. */
export type ClientDirectory = ReturnType<typeof createClientDirectory>;

export function createClientDirectory({ clients, grants, consents }: ClientStores) {
  /** The newest first; one command. A place that is not one of ours counts as the beginning. */
  const listPage = async ({ list, after, before }: ClientPageQuery): Promise<ClientPage> => {
    const [afterPlace, beforePlace] = [parsePlace(after), parsePlace(before)];
    const query = { limit: PAGE_SIZE + 1, list, after: afterPlace, before: beforePlace };
    const listed = await clients.listNewest(query);
    // back to the beginning, which is a whole page
    if (beforePlace !== undefined && listed.length < PAGE_SIZE) return listPage({ list });
    const hasMore = listed.length > PAGE_SIZE;
    const displayed = beforePlace ? listed.slice(-PAGE_SIZE) : listed.slice(0, PAGE_SIZE);
    const placeOf = ({ clientId, createdAt, registration }: Client) =>
      `${((list === 'unused' ? registration?.unusedSince : undefined) ?? createdAt).getTime()}.${clientId}`;
    const [first, last] = [displayed[0], displayed.at(-1)].map((client) => client && placeOf(client));
    const now = new Date();
    return {
      clients: displayed.map((client) => toClientInfo(client, now)),
      next: beforePlace || hasMore ? last : undefined,
      previous: (beforePlace ? hasMore : afterPlace) ? first : undefined,
    };
  };
  return {
    list: listPage,
    /** By client id; two commands for any number of clients. */
    async usageOf(
      requested: readonly ClientInfo[],
      limit: number,
    ): Promise<ReadonlyMap<string, ClientUsage>> {
      if (requested.length === 0) return new Map();
      const ids = requested.map(({ clientId }) => clientId);
      const [counted, used] = await Promise.all([
        consents.countUsers(ids, limit + 1),
        grants.usageOf(ids, limit),
      ]);
      const consenting = new Map(counted.map(({ clientId, users }) => [clientId, users]));
      const usage = new Map(used.map((each) => [each.clientId, each]));
      return new Map(
        ids.map((id) => {
          const [consents, granted] = [consenting.get(id) ?? 0, usage.get(id)];
          const { users = 0, grants = 0, lastIssuedAt } = granted ?? {};
          return [
            id,
            {
              // a trusted client needs no consent, so its users are known only by their grants
              users: Math.min(Math.max(consents, users), limit),
              isAtLeast: consents > limit || (grants >= limit && users > consents),
              lastUsedAt: lastIssuedAt ?? undefined,
            },
          ];
        }),
      );
    },
    /** By the beginning of a word of the name, of the id or of a host, and by owners; three commands at most. */
    async search(typed: string, ownerIds: readonly string[]) {
      const now = new Date();
      const [named, owned] = await Promise.all([
        searchKeyOf(typed) === '' ? [] : clients.search(typed, MAX_FOUND + 1),
        ownerIds.length === 0 ? [] : clients.listOfOwners(ownerIds, MAX_FOUND + 1),
      ]);
      const found = [...new Map([...named, ...owned].map((client) => [client.clientId, client])).values()];
      const newest = found.sort((one, other) => other.createdAt.getTime() - one.createdAt.getTime());
      return {
        clients: newest.slice(0, MAX_FOUND).map((client) => toClientInfo(client, now)),
        /** Whether there are more, since the search stops somewhere. */
        isPart: newest.length > MAX_FOUND,
      };
    },
  };
}

function parsePlace(place: string | undefined): ClientPlace | undefined {
  const [, time, id] = /^(\d{1,15})\.([\x21-\x7e]{1,200})$/.exec(place ?? '') ?? [];
  return time === undefined || id === undefined ? undefined : { date: new Date(Number(time)), id };
}
