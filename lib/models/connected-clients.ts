import type { ConnectedClient } from '../grants/grant-store.js';
import type { Documents } from './documents.js';
import type { GrantDocument } from './grant-document.js';

/** Grouped by the database: a client can have thousands of grants, and only what they come to is sent. */
export async function findConnectedClients(
  grants: Documents<GrantDocument>,
  { userId, now, limit }: { readonly userId: string; readonly now: Date; readonly limit: number },
): Promise<ConnectedClient[]> {
  const found = await grants.aggregate<Omit<ConnectedClient, 'clientId'> & { _id: string }>([
    {
      $match: {
        userId,
        expiresAt: { $gt: now },
        revokedAt: { $exists: false },
        $or: [{ 'accessTokens.0': { $exists: true } }, { refreshToken: { $exists: true } }],
      },
    },
    {
      $group: {
        _id: '$clientId',
        since: { $min: '$createdAt' },
        renewedAt: { $max: { $ifNull: ['$renewedAt', '$createdAt'] } },
        // grants from before 0.2 have them at the top
        scopes: { $addToSet: { $ifNull: ['$authorization.scopes', '$scopes'] } },
        grantTypes: { $addToSet: '$grantType' },
      },
    },
    { $sort: { renewedAt: -1 } },
    { $limit: limit },
  ]);
  return found.map(({ _id, ...client }) => ({ clientId: _id, ...client }));
}
