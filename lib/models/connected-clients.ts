import type { ConnectedClient } from '../grants/grant-store.js';
import type { Documents } from './documents.js';
import type { GrantDocument } from './grant-document.js';

interface FoundClient extends Omit<ConnectedClient, 'clientId' | 'hasWaitingDevice' | 'renewedAt'> {
  readonly _id: string;
  readonly renewedAt: Date;
  readonly waiting: number;
  readonly renewed: number;
}

/** Allowed by the person, and the device has not come for its tokens: it still could. (RFC 8628 §5.4) */
const isWaiting = {
  $and: [{ $eq: ['$device.decision', 'allow'] }, { $not: [{ $ifNull: ['$device.usedAt', false] }] }],
};

/** Grouped by the database: a client can have thousands of grants, and only what they come to is sent. */
export async function findConnectedClients(
  grants: Documents<GrantDocument>,
  { userId, now, limit }: { readonly userId: string; readonly now: Date; readonly limit: number },
): Promise<ConnectedClient[]> {
  const found = await grants.aggregate<FoundClient>([
    {
      $match: {
        userId,
        expiresAt: { $gt: now },
        revokedAt: { $exists: false },
        $or: [
          { 'accessTokens.0': { $exists: true } },
          { refreshToken: { $exists: true } },
          {
            'device.decision': 'allow',
            'device.usedAt': { $exists: false },
            'device.expiresAt': { $gt: now },
          },
        ],
      },
    },
    {
      $group: {
        _id: '$clientId',
        since: { $min: '$createdAt' },
        renewedAt: { $max: { $ifNull: ['$renewedAt', '$createdAt'] } },
        waiting: { $sum: { $cond: [isWaiting, 1, 0] } },
        renewed: { $sum: { $cond: [isWaiting, 0, 1] } },
        // grants from before 0.2 have them at the top
        scopes: { $addToSet: { $ifNull: ['$authorization.scopes', '$scopes'] } },
        grantTypes: { $addToSet: '$grantType' },
      },
    },
    { $sort: { renewedAt: -1 } },
    { $limit: limit },
  ]);
  return found.map(({ _id, waiting, renewed, renewedAt, ...client }) => ({
    clientId: _id,
    ...client,
    ...(renewed > 0 && { renewedAt }),
    hasWaitingDevice: waiting > 0,
  }));
}
