import type { Acting } from '../../core/grants/grant-store.js';
import type { AuthorizationsContext } from './context.js';

/**
 * Those that act for a user through a connected application, the latest first (RFC 8693 §4.1): who has exchanged its
 * tokens, and whom an assertion has named. One command for each if there can be any, and one more for the names.
 */
export async function findThrough(
  { settings, models }: Pick<AuthorizationsContext, 'settings' | 'models'>,
  { userId, clientId, now }: { readonly userId: string; readonly clientId: string; readonly now: Date },
): Promise<readonly Acting[]> {
  const of = { userId, clientId };
  const [exchangers, actors] = await Promise.all([
    settings.tokenExchange ? models.grants.findExchangers(of, now) : [],
    settings.assertions ? models.grants.findActors(of, now) : [],
  ]);
  const latestFirst = [...exchangers, ...actors].sort((a, b) => b.at.getTime() - a.at.getTime());
  const all = latestFirst.filter(
    ({ name }, index) => latestFirst.findIndex((one) => one.name === name) === index,
  );
  if (all.length === 0) return [];
  const found = await models.clients.findNames(all.map(({ name }) => name));
  return all.map(({ name, at }) => ({
    name: found.find((client) => client.clientId === name)?.name ?? name,
    at,
  }));
}
