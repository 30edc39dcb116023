import type { AuthorizationsContext } from './context.js';

/** An application that acted for a person through another one. */
export interface ActsThrough {
  readonly name: string;
  readonly at: Date;
}

/**
 * Those that have exchanged tokens of a connected application, the latest first (RFC 8693). One command if tokens can
 * be exchanged, and one more for the names; none otherwise.
 */
export async function findThrough(
  { settings, models }: Pick<AuthorizationsContext, 'settings' | 'models'>,
  { userId, clientId, now }: { readonly userId: string; readonly clientId: string; readonly now: Date },
): Promise<readonly ActsThrough[]> {
  if (settings.tokenExchange === false) return [];
  const exchangers = await models.grants.findExchangers({ userId, clientId }, now);
  if (exchangers.length === 0) return [];
  const found = await models.clients.findNames(exchangers.map((each) => each.clientId));
  return exchangers.map((each) => ({
    name: found.find((client) => client.clientId === each.clientId)?.name ?? each.clientId,
    at: each.at,
  }));
}
