import type { Grant, TokenOfClient, TokenWrite } from '../grants/grant.js';
import type { CollectionOf } from './collection.js';
import type { Storage } from './storage.js';

/** The person's decision on a device, with the scopes that are allowed. */
export interface DeviceDecision {
  readonly decision: 'allow' | 'deny';
  readonly userId: string;
  readonly scopes: readonly string[];
}

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

/** What a device's authorization does to its grant; a part of `Grants`, each method one command like all of them. */
export interface DeviceGrants {
  /** Counts a poll of a client's device and makes its interval longer where it came too soon; the grant as it is now, or null. */
  pollDeviceCode(device: TokenOfClient, now: Date): Promise<Grant | null>;
  /** Writes down what the person decided; false where somebody has decided before, or the code has expired or was revoked. */
  decideDeviceCode(id: string, decision: DeviceDecision, now: Date): Promise<boolean>;
  /** Uses the code of an allowed device up and stores its tokens; false where it was used, has expired or was revoked meanwhile. */
  redeemDeviceCode(id: string, codeHash: string, tokens: TokenWrite): Promise<boolean>;
  /** Ends the grant of a device code that is presented again; false where it was not used before. */
  revokeReplayedDeviceCode(id: string, codeHash: string, now: Date): Promise<boolean>;
}

/** Seconds by which a poll that comes too soon makes the interval longer (RFC 8628 §3.5). */
const SLOW_DOWN = 5;
/** Milliseconds by which the network may bring two polls closer to each other than they were sent. */
const POLL_TOLERANCE = 1000;

export function createDeviceGrants(collection: CollectionOf, storage: Storage): DeviceGrants {
  const updateOne = async (filter: object, update: object): Promise<boolean> => {
    const result = await storage.run(() => collection().updateOne(filter, update));
    return result.matchedCount === 1;
  };

  return {
    pollDeviceCode({ grantId, hash, clientId }, now) {
      const filter = { _id: grantId as never, clientId, 'device.hash': hash };
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
      return storage.run(
        () =>
          collection().findOneAndUpdate(filter, update, {
            returnDocument: 'after',
          }) as unknown as Promise<Grant | null>,
      );
    },
    decideDeviceCode: (id, { decision, userId, scopes }, now) =>
      updateOne(
        {
          _id: id,
          'device.decision': { $exists: false },
          'device.expiresAt': { $gt: now },
          revokedAt: { $exists: false },
        },
        { $set: { 'device.decision': decision, userId, scopes } },
      ),
    redeemDeviceCode: (id, codeHash, { accessToken, refreshToken, now, expiresAt }) =>
      updateOne(
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
      updateOne(
        { _id: id, 'device.hash': codeHash, 'device.usedAt': { $exists: true } },
        { $set: { revokedAt: now } },
      ),
  };
}
