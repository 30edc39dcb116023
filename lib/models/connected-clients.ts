import type { ConnectedClient, GrantStore } from '../grants/grant-store.js';
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
export function createConnectedClients(
  grants: Documents<GrantDocument>,
): Pick<GrantStore, 'listConnectedIds' | 'findConnectedClients'> {
  return {
    async listConnectedIds(userId, now, limit) {
      // in one document: a thousand of them cost more than all the rest
      const [all] = await grants.aggregate<{ readonly ids: readonly string[] }>([
        { $match: connected({ userId }, now) },
        { $group: { _id: '$clientId', renewedAt } },
        { $sort: { renewedAt: -1 } },
        { $limit: limit },
        { $group: { _id: null, ids: { $push: '$_id' } } },
      ]);
      return all?.ids ?? [];
    },
    async findConnectedClients(userId, clientIds, now) {
      const found = await grants.aggregate<FoundClient>([
        { $match: connected({ userId, clientId: { $in: clientIds } }, now) },
        {
          $group: {
            _id: '$clientId',
            since: { $min: '$createdAt' },
            renewedAt,
            waiting: { $sum: { $cond: [isWaiting, 1, 0] } },
            renewed: { $sum: { $cond: [isWaiting, 0, 1] } },
            // grants from before 0.2 have them at the top
            scopes: { $addToSet: { $ifNull: ['$authorization.scopes', '$scopes'] } },
            resources: {
              $addToSet: { $ifNull: ['$authorization.resources', { $ifNull: ['$resources', []] }] },
            },
            grantTypes: { $addToSet: '$grantType' },
          },
        },
      ]);
      return found.map(({ _id, waiting, renewed, renewedAt: renewedAtOf, ...client }) => ({
        clientId: _id,
        ...client,
        ...(renewed > 0 && { renewedAt: renewedAtOf }),
        hasWaitingDevice: waiting > 0,
      }));
    },
  };
}

const renewedAt = { $max: { $ifNull: ['$renewedAt', '$createdAt'] } };

function connected(of: object, now: Date): object {
  return {
    ...of,
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
  };
}
