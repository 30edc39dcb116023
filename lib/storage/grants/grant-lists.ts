import type { DatedIds, GrantStore } from '../../core/grants/grant-store.js';
import { NAMED_GRANT_TYPES } from '../../core/grants/named-token.js';
import type { Collection } from '../connection/collection.js';
import { datedIds, rangeOf, unionOf } from '../connection/query-helpers.js';
import { type GrantDocument, live } from './grant-document.js';

const { personal } = NAMED_GRANT_TYPES;

/** The user has allowed it, and the device has not fetched its tokens, but still could. (RFC 8628 §5.4) */
const isWaiting = {
  $and: [{ $eq: ['$device.decision', 'allow'] }, { $not: [{ $ifNull: ['$device.usedAt', false] }] }],
};

/** What the grants of a client come to. */
const connectedClient = {
  _id: '$clientId',
  since: { $min: '$createdAt' },
  renewedAt: { $max: { $ifNull: ['$renewedAt', '$createdAt'] } },
  waiting: { $sum: { $cond: [isWaiting, 1, 0] } },
  renewed: { $sum: { $cond: [isWaiting, 0, 1] } },
  scopes: {
    $addToSet: {
      $concatArrays: [
        { $ifNull: ['$authorization.scopes', []] },
        // the single claims of a grant count as well (OpenID Connect Core §5.5)
        { $ifNull: ['$authorization.openid.claimScopes', []] },
      ],
    },
  },
  resources: { $addToSet: { $ifNull: ['$authorization.resources', []] } },
  grantTypes: { $addToSet: '$grantType' },
};

/** What the database groups and counts, so that only the result is sent; a part of the store of grants. */
export function createGrantLists(grants: Collection<GrantDocument>) {
  return {
    async listConnected(userId, now, { limit, by, among }) {
      const { since, renewedAt } = connectedClient;
      const [all] = await grants.aggregate<DatedIds>([
        ...(among === undefined ? [] : amongClients(userId, among)),
        ...connected({ userId }, now),
        { $group: { _id: '$clientId', date: by === 'since' ? since : renewedAt } },
        { $sort: { date: -1 } },
        { $limit: limit },
        datedIds('$_id', '$date'),
      ]);
      return all ?? { ids: [], dates: [] };
    },
    async listClients(userId, limit) {
      const [all] = await grants.aggregate<{ readonly ids: readonly string[] }>([
        { $match: { userId } },
        { $group: { _id: '$clientId' } },
        // by the client id, which the index has
        { $match: { $or: [{ _id: { $lt: `${personal}:` } }, { _id: { $gte: `${personal};` } }] } },
        { $limit: limit },
        { $group: { _id: null, ids: { $push: '$_id' } } },
      ]);
      return all?.ids ?? [];
    },
    async findConnectedClients(userId, clientIds, now) {
      const clients = await grants.aggregate<{
        readonly _id: string;
        readonly since: Date;
        readonly renewedAt: Date;
        readonly waiting: number;
        readonly renewed: number;
        readonly scopes: readonly (readonly string[])[];
        readonly grantTypes: readonly string[];
        readonly resources: readonly (readonly string[])[];
      }>([...amongClients(userId, clientIds), ...connected({}, now), { $group: connectedClient }]);
      return clients.map(({ _id, waiting, renewed, renewedAt, ...client }) => ({
        clientId: _id,
        ...client,
        ...(renewed > 0 && { renewedAt }),
        hasWaitingDevice: waiting > 0,
      }));
    },
    async countLive(clientId, limit, now) {
      const [counted] = await grants.aggregate<{ live: number }>([
        { $match: { clientId, ...live(now) } },
        { $limit: limit },
        { $count: 'live' },
      ]);
      return counted?.live ?? 0;
    },
    async usageOf(clientIds, limit) {
      // a code that was never redeemed gave no token
      const codeIssuedAt = { $cond: [{ $ifNull: ['$code', false] }, null, '$createdAt'] };
      const issuedAt = { $ifNull: ['$renewedAt', { $ifNull: ['$code.usedAt', codeIssuedAt] }] };
      const activeUser = {
        $cond: [{ $ifNull: ['$revokedAt', false] }, null, { $ifNull: ['$userId', null] }],
      };
      const users = { $size: { $setDifference: ['$users', [null]] } };
      // the newest grants, by the index on client and time: the work is bounded however many a client has
      const usage = (clientId: string) => [
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
        { $project: { _id: 0, clientId: '$_id', grants: 1, lastIssuedAt: 1, users } },
      ];
      return grants.aggregate(unionOf(grants.name, clientIds, usage));
    },
  } satisfies Partial<GrantStore>;
}

function amongClients(userId: string, clientIds: readonly string[]): readonly object[] {
  return [{ $match: { userId, clientId: rangeOf(clientIds) } }, { $match: { clientId: { $in: clientIds } } }];
}

/** The condition for the index comes first, alone: with alternatives in it some servers read the whole collection. */
function connected(filter: object, now: Date): readonly object[] {
  return [
    { $match: { ...filter, ...live(now) } },
    {
      $match: {
        // tokens that users have made for their own programs are no connected apps
        grantType: { $nin: Object.values(NAMED_GRANT_TYPES) },
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
  ];
}
