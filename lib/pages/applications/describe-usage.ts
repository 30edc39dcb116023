import type { ClientUsage } from '../../core/clients/registry/client-directory.js';
import type { ClientInfo } from '../../core/clients/registry/client-info.js';
import type { Translator } from '../rendering/translator.js';

export interface Usage {
  readonly byClient: ReadonlyMap<string, ClientUsage>;
  readonly now: Date;
}

const A_DAY = 86_400_000;

export function describeUsage(
  { byClient, now }: Usage,
  { clientId, createdAt }: ClientInfo,
  translator: Translator,
) {
  const found = byClient.get(clientId) ?? { users: 0, isAtLeast: false };
  const { users, isAtLeast, lastUsedAt } = found;
  const count = translator.number(users);
  return {
    people: describePeople(found, translator),
    users: isAtLeast ? translator.text('applications.atLeast', { count }) : count,
    lastUsed: lastUsedAt && translator.day(lastUsedAt),
    // of an older one nobody knows whether it was used: what has ended is not kept
    isNew: now.getTime() - createdAt.getTime() < A_DAY,
  };
}

export function describePeople(
  { users, isAtLeast }: Pick<ClientUsage, 'users' | 'isAtLeast'>,
  { text, number }: Translator,
): string {
  if (users === 0) return text('application.nobody');
  return isAtLeast
    ? text('application.peopleAtLeast', { count: number(users) })
    : text('application.people', { count: users });
}
