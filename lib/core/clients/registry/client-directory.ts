import type { Client } from '../client.js';
import { searchKeyOf } from '../client-lists.js';
import type { ClientListQuery, ClientPlace, ClientStore } from '../client-store.js';
import { type ClientInfo, toClientInfo } from './client-info.js';

/** How much a client is used, as far as it is counted. */
export interface ClientUsage {
  /** Users who have allowed it, or have a grant that is not revoked. */
  readonly users: number;
  /** Whether there may be more, since counting stops somewhere. */
  readonly isAtLeast: boolean;
  /** When its newest tokens were issued; absent if it has no grant that is still stored. */
  readonly lastUsedAt?: Date | undefined;
}

/** A part of the list of all clients. */
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

/** What a search has found, the newest first. */
export interface FoundClients {
  readonly clients: readonly ClientInfo[];
  /** Whether there are more, since the search stops somewhere. */
  readonly isPart: boolean;
}

/** What the applications pages ask about clients beside their registrations. */
export interface ClientDirectory {
  /** By client id; two commands to the database for any number of clients, none if there are none. */
  usageOf(clients: readonly ClientInfo[], limit: UsageLimit): Promise<ReadonlyMap<string, ClientUsage>>;
  /**
   * The newest first; one command, and one more for a list now and then. A place that is not one of ours counts as the
   * beginning.
   */
  list(query: ClientPageQuery): Promise<ClientPage>;
  /**
   * Finds clients by the beginning of a word of the name, of the id or of a host, and those of some owners; three
   * commands at most.
   */
  search(typed: string, ownerIds: readonly string[]): Promise<FoundClients>;
}

/** How many users are counted and how many new grants are read for a client: a list has many clients. */
export const USAGE_LIMITS = { ofOne: 1000, inList: 100 } as const;
export type UsageLimit = (typeof USAGE_LIMITS)[keyof typeof USAGE_LIMITS];
/** How many clients a page of a list has. */
export const PAGE_SIZE = 20;
const MAX_FOUND = 20;
/** How many clients of earlier releases one request makes searchable. */
const COMPLETED = 500;
/** Milliseconds after which it looks for such clients again: one of these releases may still be running. */
const COMPLETE_FOR = 60_000;

/** How a client was used lately. */
export interface ClientGrantUsage {
  readonly clientId: string;
  readonly users: number;
  readonly grants: number;
  readonly lastIssuedAt: Date | null;
}

export interface ClientDirectoryStores {
  readonly clients: Pick<ClientStore, 'listNewest' | 'search' | 'listOfOwners' | 'completeLists'>;
  readonly grants: {
    /** How each of the clients was used lately, by its newest `limit` grants; a client without grants is not in it. */
    usageOf(clientIds: readonly string[], limit: number): Promise<ClientGrantUsage[]>;
  };
  readonly consents: {
    /**
     * How many users have allowed each of the clients, counted no further than `limit`; a client without one
     * is not in it.
     */
    countUsers(
      clientIds: readonly string[],
      limit: number,
    ): Promise<{ readonly clientId: string; readonly users: number }[]>;
  };
}

export function createClientDirectory({ clients, grants, consents }: ClientDirectoryStores): ClientDirectory {
  let completeAt = -Infinity;
  /** Not each time: a database may have to read all clients to say that there is none. */
  const completeLists = async (): Promise<void> => {
    const now = Date.now();
    // a clock that was set back must not stop this
    if (Math.abs(now - completeAt) < COMPLETE_FOR) return;
    if (await clients.completeLists(COMPLETED)) completeAt = now;
  };
  const directory: ClientDirectory = {
    async usageOf(requested, limit) {
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
    async list({ list, after, before }) {
      const [afterPlace, beforePlace] = [parsePlace(after), parsePlace(before)];
      if (list !== undefined && list !== 'unused') await completeLists();
      const query = { limit: PAGE_SIZE + 1, list, after: afterPlace, before: beforePlace };
      const listed = await clients.listNewest(query);
      // back to the beginning, which is a whole page
      if (beforePlace !== undefined && listed.length < PAGE_SIZE) return directory.list({ list });
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
    },
    async search(typed, ownerIds) {
      await completeLists();
      const now = new Date();
      const [named, owned] = await Promise.all([
        searchKeyOf(typed) === '' ? [] : clients.search(typed, MAX_FOUND + 1),
        ownerIds.length === 0 ? [] : clients.listOfOwners(ownerIds, MAX_FOUND + 1),
      ]);
      const found = [...new Map([...named, ...owned].map((client) => [client.clientId, client])).values()];
      const newest = found.sort((one, other) => other.createdAt.getTime() - one.createdAt.getTime());
      return {
        clients: newest.slice(0, MAX_FOUND).map((client) => toClientInfo(client, now)),
        isPart: newest.length > MAX_FOUND,
      };
    },
  };
  return directory;
}

function parsePlace(place: string | undefined): ClientPlace | undefined {
  const [, time, id] = /^(\d{1,15})\.([\x21-\x7e]{1,200})$/.exec(place ?? '') ?? [];
  return time === undefined || id === undefined ? undefined : { date: new Date(Number(time)), id };
}
