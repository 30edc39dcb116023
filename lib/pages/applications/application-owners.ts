import type { ClientInfo } from '../../core/clients/registry/client-info.js';
import type { Settings } from '../../settings/settings.js';

/** By their ids, if the site knows them: each is asked for once. */
export async function ownerNames(
  { people }: Pick<Settings, 'people'>,
  listed: readonly Pick<ClientInfo, 'ownerId'>[],
): Promise<ReadonlyMap<string, string>> {
  const { find, name } = people;
  if (find === undefined) return new Map();
  const ids = [...new Set(listed.flatMap(({ ownerId }) => ownerId ?? []))];
  const names = await Promise.all(
    ids.map(async (id) => {
      try {
        const user = await find(id);
        return user ? [[id, name(user)] as const] : [];
      } catch {
        // the list is right with the id, too
        return [];
      }
    }),
  );
  return new Map(names.flat());
}
