import type { ConnectedClient, DatedIds, GrantStore } from '../../core/grants/grant-store.js';
import { NAMED_GRANT_TYPES } from '../../core/grants/named-token.js';
import type { Collection } from '../connection/collection.js';
import { datedIds, rangeOf } from '../connection/query-helpers.js';
import type { GrantDocument } from './grant-document.js';

interface FoundClient extends Omit<ConnectedClient, 'clientId' | 'hasWaitingDevice' | 'renewedAt'> {
  readonly _id: string;
  readonly renewedAt: Date;
  readonly waiting: number;
  readonly renewed: number;
}

const { personal } = NAMED_GRANT_TYPES;
/** Tokens that users have made for their own programs are no connected apps. */
const ofApps = { grantType: { $nin: Object.values(NAMED_GRANT_TYPES) } };

/** The user has allowed it, and the device has not fetched its tokens, but still could. (RFC 8628 §5.4) */
const isWaiting = {
  $and: [{ $eq: ['$device.decision', 'allow'] }, { $not: [{ $ifNull: ['$device.usedAt', false] }] }],
};

/** The database groups them: a client can have thousands of grants, and only the result is sent. */
export function createConnectedClients(
  grants: Collection<GrantDocument>,
): Pick<GrantStore, 'listConnected' | 'listClients' | 'findConnectedClients'> {
  return {
    async listConnected(userId, now, { limit, by, among }) {
      const { since, renewedAt } = whatTheyComeTo;
      const [all] = await grants.aggregate<DatedIds>([
        ...ofClients(userId, among),
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
      const found = await grants.aggregate<FoundClient>([
        ...ofClients(userId, clientIds),
        ...connected({}, now),
        { $group: whatTheyComeTo },
      ]);
      return found.map((client) => toConnectedClient(client));
    },
  };
}

function toConnectedClient({ _id, waiting, renewed, renewedAt, ...client }: FoundClient): ConnectedClient {
  return { clientId: _id, ...client, ...(renewed > 0 && { renewedAt }), hasWaitingDevice: waiting > 0 };
}

const whatTheyComeTo = {
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

function ofClients(userId: string, among: readonly string[] | undefined): readonly object[] {
  if (among === undefined) return [];
  return [{ $match: { userId, clientId: rangeOf(among) } }, { $match: { clientId: { $in: among } } }];
}

/** The condition for the index comes first, alone: with alternatives in it some servers read the whole collection. */
function connected(of: object, now: Date): readonly object[] {
  return [
    { $match: { ...of, expiresAt: { $gt: now }, revokedAt: { $exists: false } } },
    {
      $match: {
        ...ofApps,
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
