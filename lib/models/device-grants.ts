import type { Grant } from '../grants/grant.js';
import type { DeviceGrants } from '../grants/grant-store.js';
import type { Documents } from './documents.js';

export const deviceCodeFields = {
  _id: false,
  hash: String,
  expiresAt: Date,
  interval: Number,
  nextPollAt: Date,
  isTooSoon: Boolean,
  decision: String,
  usedAt: Date,
};

/** Seconds by which a poll that comes too soon makes the interval longer (RFC 8628 §3.5). */
const SLOW_DOWN = 5;
/** Milliseconds by which the network may bring two polls closer to each other than they were sent. */
const POLL_TOLERANCE = 1000;

/** What a device's authorization does to its grant; a part of the store of grants. */
export function createDeviceGrants(grants: Documents<Grant>): DeviceGrants {
  return {
    pollDeviceCode({ grantId, hash, clientId }, now) {
      const filter = { _id: grantId, clientId, 'device.hash': hash };
      // a pipeline: the new interval depends on the stored one, and two polls at once must both count
      const update = [
        { $set: { 'device.isTooSoon': { $gt: ['$device.nextPollAt', now] } } },
        {
          $set: {
            'device.interval': { $add: ['$device.interval', { $cond: ['$device.isTooSoon', SLOW_DOWN, 0] }] },
          },
        },
        {
          $set: {
            'device.nextPollAt': { $add: [now, { $multiply: ['$device.interval', 1000] }, -POLL_TOLERANCE] },
          },
        },
      ];
      return grants.findOneAndUpdate(filter, update);
    },
    decideDeviceCode: (id, { decision, userId, scopes }, now) =>
      grants.updateOne(
        {
          _id: id,
          'device.decision': { $exists: false },
          'device.expiresAt': { $gt: now },
          revokedAt: { $exists: false },
        },
        { $set: { 'device.decision': decision, userId, scopes } },
      ),
    redeemDeviceCode: (id, codeHash, { accessToken, refreshToken, now, expiresAt }) =>
      grants.updateOne(
        {
          _id: id,
          'device.hash': codeHash,
          'device.decision': 'allow',
          'device.usedAt': { $exists: false },
          'device.expiresAt': { $gt: now },
          revokedAt: { $exists: false },
        },
        {
          $set: {
            'device.usedAt': now,
            renewedAt: now,
            accessTokens: [accessToken],
            expiresAt,
            ...(refreshToken && { refreshToken }),
          },
        },
      ),
    revokeReplayedDeviceCode: (id, codeHash, now) =>
      grants.updateOne(
        { _id: id, 'device.hash': codeHash, 'device.usedAt': { $exists: true } },
        { $set: { revokedAt: now } },
      ),
  };
}
