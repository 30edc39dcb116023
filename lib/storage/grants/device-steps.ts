import type { DeviceGrants } from '../../core/grants/grant-store.js';
import type { Collection } from '../connection/collection.js';
import { type GrantDocument, toGrant } from './grant-document.js';

/** Seconds by which a poll that comes too soon makes the interval longer (RFC 8628 §3.5). */
const SLOW_DOWN = 5;
/** Milliseconds by which the network may bring two polls closer to each other than they were sent. */
const POLL_TOLERANCE = 1000;

/** What a device's authorization does to its grant; a part of the store of grants. */
export function createDeviceGrants(grants: Collection<GrantDocument>): DeviceGrants {
  return {
    async pollDeviceCode({ grantId, hash, clientId }, now) {
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
      const found = await grants.findOneAndUpdate(filter, update);
      return found && toGrant(found);
    },
    decideDeviceCode: (
      id,
      { decision, userId, scopes, authorizationDetails: details, choices, endsAt, authentication },
      now,
    ) =>
      grants.updateOne(
        {
          _id: id,
          'device.decision': { $exists: false },
          'device.expiresAt': { $gt: now },
          revokedAt: { $exists: false },
        },
        {
          $set: {
            'device.decision': decision,
            userId,
            'authorization.scopes': scopes,
            ...(details && { 'authorization.authorizationDetails': details }),
            ...(choices && { 'authorization.choices': choices }),
            ...(endsAt && { 'authorization.endsAt': endsAt }),
            ...(authentication && { 'authorization.authentication': authentication }),
          },
        },
      ),
    redeemDeviceCode: ({ grantId }, codeHash, { accessToken, refreshToken, resend, now, expiresAt }) =>
      grants.updateOne(
        {
          _id: grantId,
          'device.hash': codeHash,
          'device.decision': 'allow',
          'device.usedAt': { $exists: false },
          'device.expiresAt': { $gt: now },
          revokedAt: { $exists: false },
          blockedAt: { $exists: false },
        },
        {
          $set: {
            'device.usedAt': now,
            renewedAt: now,
            accessTokens: [accessToken],
            expiresAt,
            ...(refreshToken && { refreshToken }),
            ...(resend && { resend }),
          },
        },
      ),
    revokeReplayedDeviceCode: (id, codeHash, now) =>
      grants.updateOne(
        {
          _id: id,
          'device.hash': codeHash,
          'device.usedAt': { $exists: true },
          revokedAt: { $exists: false },
        },
        { $set: { revokedAt: now } },
      ),
  };
}
