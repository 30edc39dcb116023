import { type Connection, type Model, Schema } from 'mongoose';

import type { Grant, GuardedGrant, TokenOfClient, TokenWrite } from '../grants/grant.js';
import { collectionOf, modelOf, SCHEMA_OPTIONS } from './collection.js';
import { type ConnectedClients, createConnectedClients } from './connected-clients.js';
import { createDeviceGrants, deviceCodeFields, type DeviceGrants } from './device-grants.js';
import { eachOf, type Storage } from './storage.js';

/** What the newest grants of a client say of its use. */
export interface GrantUsage {
  readonly _id: string;
  /** How many grants were looked at. */
  readonly grants: number;
  /** How many people have one that is not revoked. */
  readonly users: number;
  /** When the newest tokens were issued. */
  readonly lastIssuedAt: Date | null;
}

/** A grant keeps this many live access tokens (the oldest goes first) and used refresh tokens: it cannot grow without bound. */
const MAX_ACCESS_TOKENS = 10;
const MAX_USED_REFRESH_TOKENS = 50;

const grantSchema = () =>
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
    .index({ userId: 1, clientId: 1 }, { partialFilterExpression: { userId: { $exists: true } } });

/** The collection of grants. Each method is one command to MongoDB, which changes one document atomically. */
export interface Grants extends DeviceGrants, ConnectedClients {
  readonly model: Model<Grant>;
  insert(grant: Grant): Promise<void>;
  find(id: string): Promise<Grant | null>;
  findForGuard(id: string): Promise<GuardedGrant | null>;
  /** Uses the code up and stores its tokens; false where it was used, has expired or was revoked meanwhile. */
  redeemCode(id: string, codeHash: string, tokens: TokenWrite): Promise<boolean>;
  /** Ends the grant of a code that is presented again (RFC 6749 §4.1.2); false where it was not used before. */
  revokeReplayedCode(id: string, codeHash: string, now: Date): Promise<boolean>;
  /** Puts new tokens in the place of the current refresh token; false where it is no longer the current one. */
  rotateRefreshToken(id: string, refreshTokenHash: string, tokens: TokenWrite): Promise<boolean>;
  /** Ends the grant of a refresh token that was replaced before (RFC 9700 §4.14.2); false where it never was. */
  revokeReusedRefreshToken(id: string, refreshTokenHash: string, now: Date): Promise<boolean>;
  /** Ends one access token of a client; false where it is not one of that client. */
  revokeAccessToken(token: TokenOfClient): Promise<boolean>;
  /** Ends the grant of a client's refresh token, used or current (RFC 7009 §2.1); false where it is not one of that client. */
  revokeByRefreshToken(token: TokenOfClient, now: Date): Promise<boolean>;
  /** Ends all grants of a user, of a client, or of a user at a client, in one command; says how many. */
  revokeAll(of: { readonly userId?: string; readonly clientId?: string }, now: Date): Promise<number>;
  /** How each of the clients was used lately, by its newest `limit` grants; a client without grants is not in it. */
  usageOf(clientIds: readonly string[], limit: number): Promise<GrantUsage[]>;
}

const GUARD_PROJECTION = {
  clientId: 1,
  userId: 1,
  scopes: 1,
  accessTokens: 1,
  revokedAt: 1,
  extra: 1,
} as const;

export function createGrants(connection: Connection, storage: Storage): Grants {
  const model = modelOf(connection, 'OAuthGrant', 'oauth_grants', grantSchema);
  const collection = collectionOf(connection, model.collection.name);

  const updateOne = async (filter: object, update: object): Promise<boolean> => {
    const result = await storage.run(() => collection().updateOne(filter, update));
    return result.matchedCount === 1;
  };

  return {
    model,
    ...createDeviceGrants(collection, storage),
    ...createConnectedClients(collection, storage),
    async insert(grant) {
      await storage.run(() => collection().insertOne(grant as never));
    },
    find: (id) => storage.run(() => collection.readOne<Grant>({ _id: id })),
    findForGuard: (id) => storage.run(() => collection.readOne<GuardedGrant>({ _id: id }, GUARD_PROJECTION)),
    redeemCode: (id, codeHash, { accessToken, refreshToken, now, expiresAt }) =>
      updateOne(
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
      updateOne(
        { _id: id, 'code.hash': codeHash, 'code.usedAt': { $exists: true } },
        { $set: { revokedAt: now } },
      ),
    rotateRefreshToken: (
      id,
      refreshTokenHash,
      { accessToken, refreshToken, refreshReplay, now, expiresAt },
    ) =>
      updateOne(
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
      updateOne({ _id: id, usedRefreshTokens: refreshTokenHash }, { $set: { revokedAt: now } }),
    revokeAccessToken: ({ grantId, hash, clientId }) =>
      updateOne({ _id: grantId, clientId, 'accessTokens.hash': hash }, { $pull: { accessTokens: { hash } } }),
    revokeByRefreshToken: ({ grantId, hash, clientId }, now) =>
      updateOne(
        { _id: grantId, clientId, $or: [{ 'refreshToken.hash': hash }, { usedRefreshTokens: hash }] },
        { $set: { revokedAt: now } },
      ),
    async revokeAll(of, now) {
      const result = await storage.run(() =>
        collection().updateMany({ ...of, revokedAt: { $exists: false } }, { $set: { revokedAt: now } }),
      );
      return result.modifiedCount;
    },
    usageOf: (clientIds, limit) =>
      storage.run(() =>
        collection()
          .aggregate<GrantUsage>(
            eachOf(model.collection.name, clientIds, (clientId) => usagePipeline(clientId, limit)),
          )
          .toArray(),
      ),
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
