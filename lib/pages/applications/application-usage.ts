import type { ClientInfo } from '../../core/clients/registry/client-info.js';
import type { Stores } from '../../storage/stores.js';
import type { Translator } from '../rendering/translator.js';

/** The usage of clients by client id. */
export type Usage = Awaited<ReturnType<typeof usageOf>>;

/** Limits on counted users and read grants per client: a list has many clients. */
export const USAGE_LIMITS = { ofOne: 1000, inList: 100 } as const;

const A_DAY = 86_400_000;

/** The usage of clients, with two commands for any number of clients. */
export async function usageOf({ grants, consents }: Stores, clients: readonly ClientInfo[], limit: number) {
  const ids = clients.map(({ clientId }) => clientId);
  const [counted, used] =
    ids.length === 0
      ? [[], []]
      : await Promise.all([consents.countUsers(ids, limit + 1), grants.usageOf(ids, limit)]);
  const consenting = new Map(counted.map(({ clientId, users }) => [clientId, users]));
  const granted = new Map(used.map((each) => [each.clientId, each]));
  return new Map(
    ids.map((id) => {
      const allowed = consenting.get(id) ?? 0;
      const { users = 0, grants: read = 0, lastIssuedAt } = granted.get(id) ?? {};
      const usage = {
        /** Users with a consent. A trusted client needs no consent, so its users come from grants. */
        users: Math.min(Math.max(allowed, users), limit),
        /** Whether the number reached the limit of counting. */
        isAtLeast: allowed > limit || (read >= limit && users > allowed),
        /** When the latest tokens were issued; undefined without a stored grant. */
        lastUsedAt: lastIssuedAt ?? undefined,
      };
      return [id, usage] as const;
    }),
  );
}

export function describeUsage(
  usage: Usage,
  { clientId, createdAt }: ClientInfo,
  now: Date,
  { text, number, day }: Translator,
) {
  const { users = 0, isAtLeast = false, lastUsedAt } = usage.get(clientId) ?? {};
  const count = number(users);
  return {
    people:
      users === 0
        ? text('application.nobody')
        : isAtLeast
          ? text('application.peopleAtLeast', { count })
          : text('application.people', { count: users }),
    users: isAtLeast ? text('applications.atLeast', { count }) : count,
    lastUsed: lastUsedAt && day(lastUsedAt),
    // the use of an older client is unknown, because ended grants are deleted
    isNew: now.getTime() - createdAt.getTime() < A_DAY,
  };
}
