import { type ClientInfo, toClientInfo } from './client-info.js';
import type { ClientStore } from './client-store.js';

/** How a client is used, as far as it is counted. */
export interface ClientUsage {
  /** People who have allowed it, or have a grant that is not revoked. */
  readonly users: number;
  /** Whether there may be more: counting has an end. */
  readonly isAtLeast: boolean;
  /** When its newest tokens were issued; absent if it has no grant that is still stored. */
  readonly lastUsedAt?: Date;
}

/** A part of the list of all clients. */
export interface ClientPage {
  readonly clients: readonly ClientInfo[];
  /** For the next part; absent at the end. */
  readonly next?: string;
}

/** What the applications pages ask about clients beside their registrations. */
export interface ClientDirectory {
  /** By client id; two commands to the database however many clients there are, none for none. */
  usageOf(clients: readonly ClientInfo[], limit: UsageLimit): Promise<ReadonlyMap<string, ClientUsage>>;
  /** The newest first; one command. A `cursor` that is none of ours is the beginning. */
  list(query: {
    readonly selfRegistered: boolean;
    readonly cursor?: string | undefined;
  }): Promise<ClientPage>;
}

/** People are counted, and the newest grants of a client looked at, no further than this: a list has many clients. */
export const USAGE_LIMITS = { ofOne: 1000, inList: 100 } as const;
export type UsageLimit = (typeof USAGE_LIMITS)[keyof typeof USAGE_LIMITS];
const PAGE_SIZE = 25;

/** How a client was used lately. */
export interface ClientGrantUsage {
  readonly clientId: string;
  readonly users: number;
  readonly grants: number;
  readonly lastIssuedAt: Date | null;
}

export interface ClientDirectoryStores {
  readonly clients: Pick<ClientStore, 'listNewest'>;
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
  return {
    async usageOf(asked, limit) {
      if (asked.length === 0) return new Map();
      const ids = asked.map(({ clientId }) => clientId);
      const [counted, used] = await Promise.all([
        consents.countUsers(ids, limit + 1),
        grants.usageOf(ids, limit),
      ]);
      const consenting = new Map(counted.map(({ clientId, users }) => [clientId, users]));
      const usage = new Map(used.map((found) => [found.clientId, found]));
      return new Map(ids.map((id) => [id, toUsage(consenting.get(id) ?? 0, usage.get(id), limit)]));
    },
    async list({ selfRegistered, cursor }) {
      const now = new Date();
      const after = parseCursor(cursor);
      const found = await clients.listNewest({
        limit: PAGE_SIZE + 1,
        selfRegistered,
        ...(after && { after }),
      });
      const shown = found.slice(0, PAGE_SIZE);
      const last = shown.at(-1);
      return {
        clients: shown.map((client) => toClientInfo(client, now)),
        ...(found.length > PAGE_SIZE &&
          last !== undefined && { next: `${last.createdAt.getTime()}.${last.clientId}` }),
      };
    },
  };
}

/** People at a trusted client are asked for no consent: they are known by their grants alone. */
function toUsage(consenting: number, found: ClientGrantUsage | undefined, limit: number): ClientUsage {
  const users = Math.max(consenting, found?.users ?? 0);
  const isAtLeast =
    consenting > limit || (found !== undefined && found.grants >= limit && found.users > consenting);
  return {
    users: Math.min(users, limit),
    isAtLeast,
    ...(found?.lastIssuedAt && { lastUsedAt: found.lastIssuedAt }),
  };
}

function parseCursor(
  cursor: string | undefined,
): { readonly createdAt: Date; readonly id: string } | undefined {
  const [, time, id] = /^(\d{1,15})\.([\x21-\x7e]{1,200})$/.exec(cursor ?? '') ?? [];
  return time === undefined || id === undefined ? undefined : { createdAt: new Date(Number(time)), id };
}
