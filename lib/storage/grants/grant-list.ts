import { Collection } from '../connection/collection.js';
import type { Database } from '../connection/database.js';
import { GRANTS } from './grant-collection.js';
import { live, toGrant } from './grant-document.js';

/** The grants that have tokens, or can still get some, the newest first, without anything that could be used. */
export async function listLiveGrants(
  database: Database,
  of: { readonly userId?: string; readonly clientId?: string },
  { now, limit }: { readonly now: Date; readonly limit: number },
) {
  const found = await new Collection(database, GRANTS).find(
    { ...of, ...live(now) },
    { sort: { createdAt: -1 }, limit },
  );
  return found.map(toGrant).map((grant) => {
    const {
      grantId,
      clientId,
      grantType,
      authorization,
      createdAt,
      renewedAt = createdAt,
      expiresAt,
    } = grant;
    const { userId, scopes } = authorization;
    return { grantId, clientId, userId, grantType, scopes, createdAt, renewedAt, expiresAt };
  });
}
