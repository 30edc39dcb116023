import type { GrantStore } from '../../core/grants/grant-store.js';
import { NAMED_GRANT_TYPES } from '../../core/grants/named-token.js';
import type { Collection } from '../connection/collection.js';
import { datedIds, idRange, unionByIds } from '../connection/query-helpers.js';
import { type GrantDocument, live } from './grant-document.js';

const { personal } = NAMED_GRANT_TYPES;

/** A user at a client, in any of their grants. */
export interface UserAtClient {
  readonly userId: string;
  readonly clientId: string;
}

/** The ids of a list in its order, each with its date. */
export interface DatedIds {
  readonly ids: readonly string[];
  readonly dates: readonly Date[];
}

/** A list of at most `limit`: the last used, or the last connected ones first. */
export interface ListOrder {
  readonly limit: number;
  readonly by: 'renewed' | 'since';
}

/** The user has allowed the device, which has not fetched its tokens yet. (RFC 8628 §5.4) */
const isWaiting = {
  $and: [{ $eq: ['$device.decision', 'allow'] }, { $not: [{ $ifNull: ['$device.usedAt', false] }] }],
};

/** Aggregates the grants of a client. */
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

/** Lists and counts that the database aggregates, so that only the result is sent; a part of the grant store. */
export function createGrantLists(grants: Collection<GrantDocument>) {
  /** Actors, each a client or a name from an issuer: the pipeline returns the name as `_id`, and the latest date. */
  const findActing = async (pipeline: readonly object[]) => {
    const acting = await grants.aggregate<{ readonly _id: string; readonly at: Date }>(pipeline);
    return acting.map(({ _id, at }) => ({ name: _id, at }));
  };

  return {
    /**
     * The clients with working tokens for this user, or with a device that may still fetch some; the last used, or the
     * last connected ones first. With `among` only these clients.
     */
    async listConnected(
      userId: string,
      now: Date,
      { limit, by, among }: ListOrder & { readonly among?: readonly string[] | undefined },
    ): Promise<DatedIds> {
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
    /** The clients at which a user has grants, ended ones included, in no order. The query reads only an index. */
    async listClients(userId: string, limit: number): Promise<readonly string[]> {
      const [all] = await grants.aggregate<{ readonly ids: readonly string[] }>([
        { $match: { userId } },
        { $group: { _id: '$clientId' } },
        // by the client id, which is in the index
        { $match: { $or: [{ _id: { $lt: `${personal}:` } }, { _id: { $gte: `${personal};` } }] } },
        { $limit: limit },
        { $group: { _id: null, ids: { $push: '$_id' } } },
      ]);
      return all?.ids ?? [];
    },
    /** The clients among these with current access to a user's account, in no order: their live grants, combined. */
    async findConnectedClients(userId: string, clientIds: readonly string[], now: Date) {
      const clients = await grants.aggregate<{
        readonly _id: string;
        readonly since: Date;
        readonly renewedAt: Date;
        readonly waiting: number;
        readonly renewed: number;
        /** By grant. */
        readonly scopes: readonly (readonly string[])[];
        readonly grantTypes: readonly string[];
        /** By grant (RFC 8707). */
        readonly resources: readonly (readonly string[])[];
      }>([...amongClients(userId, clientIds), ...connected({}, now), { $group: connectedClient }]);
      return clients.map(({ _id, waiting, renewed, renewedAt, ...client }) => ({
        clientId: _id,
        ...client,
        /** When the client last got tokens; undefined if it has none yet. */
        renewedAt: renewed > 0 ? renewedAt : undefined,
        /** Whether an allowed device has not fetched its tokens yet (RFC 8628 §3.5). */
        hasWaitingDevice: waiting > 0,
      }));
    },
    /** The parties that exchanged tokens of a user's live grants at a client, with the latest date of each. */
    findExchangers: ({ userId, clientId }: UserAtClient, now: Date) =>
      findActing([
        { $match: { userId, clientId, ...live(now) } },
        { $unwind: '$exchangedTokens' },
        // the client, and the actors beside it
        { $unwind: '$exchangedTokens.through' },
        { $match: { 'exchangedTokens.through': { $ne: clientId } } },
        { $group: { _id: '$exchangedTokens.through', at: { $max: '$exchangedTokens.issuedAt' } } },
      ]),
    /** The actors of the live grants themselves, as an assertion has named them. */
    findActors: ({ userId, clientId }: UserAtClient, now: Date) =>
      findActing([
        { $match: { userId, clientId, ...live(now), 'authorization.actor': { $exists: true } } },
        { $group: { _id: '$authorization.actor.sub', at: { $max: '$createdAt' } } },
      ]),
    async usageOf(clientIds, limit) {
      // an unredeemed code gave no token
      const codeIssuedAt = { $cond: [{ $ifNull: ['$code', false] }, null, '$createdAt'] };
      const issuedAt = { $ifNull: ['$renewedAt', { $ifNull: ['$code.usedAt', codeIssuedAt] }] };
      const activeUser = {
        $cond: [{ $ifNull: ['$revokedAt', false] }, null, { $ifNull: ['$userId', null] }],
      };
      const users = { $size: { $setDifference: ['$users', [null]] } };
      // the newest grants, by the index on client and time: the work is bounded for any number of grants
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
      return grants.aggregate(unionByIds(grants.name, clientIds, usage));
    },
  } satisfies Partial<GrantStore> & Record<string, unknown>;
}

function amongClients(userId: string, clientIds: readonly string[]): readonly object[] {
  return [{ $match: { userId, clientId: idRange(clientIds) } }, { $match: { clientId: { $in: clientIds } } }];
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
