import type { GrantStore } from '../../core/grants/grant-store.js';
import type { Collection } from '../connection/collection.js';
import type { GrantDocument } from './grant-document.js';

/** How many live grants a client has, or the clients of one host; a part of the store of grants. */
export function createLiveCounts(
  grants: Collection<GrantDocument>,
): Pick<GrantStore, 'countLive' | 'countLiveOfHost'> {
  return {
    countLive: (clientId, limit, now) => countLive(grants, { clientId }, { limit, now }),
    countLiveOfHost: (origin, limit, now) =>
      // two ranges of the index: the host is followed by a path or a port; '0' comes after '/', and ';' after ':'
      countLive(
        grants,
        {
          $or: [
            { clientId: { $gte: `${origin}/`, $lt: `${origin}0` } },
            { clientId: { $gte: `${origin}:`, $lt: `${origin};` } },
          ],
        },
        { limit, now },
      ),
  };
}

async function countLive(
  grants: Collection<GrantDocument>,
  of: object,
  { limit, now }: { readonly limit: number; readonly now: Date },
): Promise<number> {
  const [counted] = await grants.aggregate<{ live: number }>([
    { $match: { ...of, expiresAt: { $gt: now }, revokedAt: { $exists: false } } },
    { $limit: limit },
    { $count: 'live' },
  ]);
  return counted?.live ?? 0;
}
