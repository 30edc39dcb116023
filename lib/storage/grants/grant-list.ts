import { openCollection } from '../connection/collection.js';
import type { Database } from '../connection/database.js';
import { GRANTS } from './grant-collection.js';
import { toGrant } from './grant-document.js';

/** A grant as the users who run the site see it, without anything that could be used. */
export interface ListedGrant {
  readonly grantId: string;
  readonly clientId: string;
  /** Absent if the client acts for itself. */
  readonly userId?: string;
  readonly grantType: string;
  readonly scopes: readonly string[];
  readonly createdAt: Date;
  /** When it was last given tokens. */
  readonly renewedAt: Date;
  readonly expiresAt: Date;
}

/** Whose grants are listed: those of a user, of a client, or of a user at a client. */
export interface WhoseGrants {
  readonly userId?: string;
  readonly clientId?: string;
}

/** The grants that have tokens, or can still get some, the newest first. */
export async function listLiveGrants(
  database: Database,
  of: WhoseGrants,
  { now, limit }: { readonly now: Date; readonly limit: number },
): Promise<ListedGrant[]> {
  const found = await openCollection(database, GRANTS).find(
    { ...of, expiresAt: { $gt: now }, revokedAt: { $exists: false } },
    { sort: { createdAt: -1 }, limit },
  );
  return found.map((document) => {
    const { grantId, clientId, grantType, authorization, createdAt, renewedAt, expiresAt } =
      toGrant(document);
    const { userId, scopes } = authorization;
    return {
      grantId,
      clientId,
      ...(userId !== undefined && { userId }),
      grantType,
      scopes,
      createdAt,
      renewedAt: renewedAt ?? createdAt,
      expiresAt,
    };
  });
}
