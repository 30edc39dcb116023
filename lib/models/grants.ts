import type { Grant } from '../grants/grant.js';
import type { GrantStore, GrantUsage } from '../grants/grant-store.js';
import { findConnectedClients } from './connected-clients.js';
import type { Database } from './database.js';
import { createDeviceGrants, deviceCodeFields } from './device-grants.js';
import { type Collection, documentsOf, eachOf, SCHEMA_OPTIONS } from './documents.js';

/** A grant keeps this many live access tokens (the oldest goes first) and used refresh tokens: it cannot grow without bound. */
const MAX_ACCESS_TOKENS = 10;
const MAX_USED_REFRESH_TOKENS = 50;

export const GRANTS: Collection<Grant> = {
  model: 'OAuthGrant',
  name: 'oauth_grants',
  schema: ({ Schema }) =>
    new Schema<Grant>(
      {
        _id: { type: String, required: true },
        clientId: { type: String, required: true },
        userId: String,
        scopes: { type: [String], required: true },
        resources: { type: [String], default: undefined },
        grantType: { type: String, required: true },
        code: {
          type: {
            _id: false,
            hash: String,
            expiresAt: Date,
            redirectUri: String,
            isRedirectUriRequired: Boolean,
            codeChallenge: String,
            usedAt: Date,
          },
          default: undefined,
        },
        device: { type: deviceCodeFields, default: undefined },
        accessTokens: [
          {
            _id: false,
            hash: String,
            expiresAt: Date,
            scopes: { type: [String], default: undefined },
            resource: String,
          },
        ],
        refreshToken: { type: { _id: false, hash: String, expiresAt: Date }, default: undefined },
        usedRefreshTokens: { type: [String], default: undefined },
        refreshReplay: {
          type: { _id: false, hash: String, sealed: String, rotatedAt: Date },
          default: undefined,
        },
        extra: Schema.Types.Mixed,
        revokedAt: Date,
        createdAt: { type: Date, required: true },
        renewedAt: Date,
        expiresAt: { type: Date, required: true },
      },
      SCHEMA_OPTIONS,
    )
      .index({ expiresAt: 1 }, { expireAfterSeconds: 0 })
      .index({ clientId: 1, createdAt: -1 })
      .index({ userId: 1, clientId: 1 }, { partialFilterExpression: { userId: { $exists: true } } }),
};

const GUARD_PROJECTION = {
  clientId: 1,
  userId: 1,
  scopes: 1,
  accessTokens: 1,
  revokedAt: 1,
  extra: 1,
} as const;

/** Each operation is one command, which changes one document atomically. */
export function createGrantStore(database: Database): GrantStore {
  const grants = documentsOf(database, GRANTS);
  const find = (id: string): Promise<Grant | null> => grants.findOne({ _id: id });

  return {
    ...createDeviceGrants(grants),
    async insert(grant) {
      await grants.insert(grant);
    },
    find,
    findOfCode: find,
    findForGuard: (id) => grants.findOne({ _id: id }, GUARD_PROJECTION),
    redeemCode: (id, codeHash, { accessToken, refreshToken, now, expiresAt }) =>
      grants.updateOne(
        {
          _id: id,
          'code.hash': codeHash,
          'code.usedAt': { $exists: false },
          'code.expiresAt': { $gt: now },
          revokedAt: { $exists: false },
        },
        {
          $set: {
            'code.usedAt': now,
            renewedAt: now,
            accessTokens: [accessToken],
            expiresAt,
            ...(refreshToken && { refreshToken }),
          },
        },
      ),
    revokeReplayedCode: (id, codeHash, now) =>
      grants.updateOne(
        { _id: id, 'code.hash': codeHash, 'code.usedAt': { $exists: true } },
        { $set: { revokedAt: now } },
      ),
    rotateRefreshToken: (
      id,
      refreshTokenHash,
      { accessToken, refreshToken, refreshReplay, now, expiresAt },
    ) =>
      grants.updateOne(
        {
          _id: id,
          'refreshToken.hash': refreshTokenHash,
          'refreshToken.expiresAt': { $gt: now },
          revokedAt: { $exists: false },
        },
        {
          $set: { refreshToken, expiresAt, renewedAt: now, ...(refreshReplay && { refreshReplay }) },
          ...(refreshReplay === undefined && { $unset: { refreshReplay: '' } }),
          $push: {
            accessTokens: { $each: [accessToken], $slice: -MAX_ACCESS_TOKENS },
            usedRefreshTokens: { $each: [refreshTokenHash], $slice: -MAX_USED_REFRESH_TOKENS },
          },
        },
      ),
    revokeReusedRefreshToken: (id, refreshTokenHash, now) =>
      grants.updateOne({ _id: id, usedRefreshTokens: refreshTokenHash }, { $set: { revokedAt: now } }),
    revokeAccessToken: ({ grantId, hash, clientId }) =>
      grants.updateOne(
        { _id: grantId, clientId, 'accessTokens.hash': hash },
        { $pull: { accessTokens: { hash } } },
      ),
    revokeByRefreshToken: ({ grantId, hash, clientId }, now) =>
      grants.updateOne(
        { _id: grantId, clientId, $or: [{ 'refreshToken.hash': hash }, { usedRefreshTokens: hash }] },
        { $set: { revokedAt: now } },
      ),
    revokeAll: (of, now) =>
      grants.updateMany({ ...of, revokedAt: { $exists: false } }, { $set: { revokedAt: now } }),
    async usageOf(clientIds, limit) {
      const pipeline = eachOf(GRANTS.name, clientIds, (clientId) => usagePipeline(clientId, limit));
      const used = await grants.aggregate<Omit<GrantUsage, 'clientId'> & { _id: string }>(pipeline);
      return used.map(({ _id, ...usage }) => ({ clientId: _id, ...usage }));
    },
    listConnectedClients: (userId, now, limit) => findConnectedClients(grants, { userId, now, limit }),
  };
}

/** The newest grants by the index on client and time, so that the work has a bound however many a client has. */
function usagePipeline(clientId: string, limit: number): object[] {
  // a code that was never redeemed gave no token
  const issuedAt = {
    $ifNull: [
      '$renewedAt',
      { $ifNull: ['$code.usedAt', { $cond: [{ $ifNull: ['$code', false] }, null, '$createdAt'] }] },
    ],
  };
  const activeUser = { $cond: [{ $ifNull: ['$revokedAt', false] }, null, { $ifNull: ['$userId', null] }] };
  return [
    { $match: { clientId } },
    { $sort: { createdAt: -1 } },
    { $limit: limit },
    {
      $group: {
        _id: '$clientId',
        grants: { $sum: 1 },
        users: { $addToSet: activeUser },
        lastIssuedAt: { $max: issuedAt },
      },
    },
    { $project: { grants: 1, lastIssuedAt: 1, users: { $size: { $setDifference: ['$users', [null]] } } } },
  ];
}
