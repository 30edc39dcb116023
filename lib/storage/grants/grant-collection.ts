import type { Grant } from '../../core/grants/grant.js';
import type { GrantStore, GrantUsage } from '../../core/grants/grant-store.js';
import type { ExtendSchema } from '../../settings/options/schema-options.js';
import { openCollection, unionOf } from '../connection/collection.js';
import type { Database } from '../connection/database.js';
import { defineCollection } from '../connection/model.js';
import { createChoiceSteps } from './choice-steps.js';
import { createConnectedClients } from './connected-clients.js';
import { createDetailUse } from './detail-steps.js';
import { createDeviceGrants } from './device-steps.js';
import { createExchangeGrants, endExchanged } from './exchange-steps.js';
import {
  type GrantDocument,
  grantFields,
  GUARD_PROJECTION,
  toGrant,
  toGrantDocument,
  toGuardedGrant,
} from './grant-document.js';
import { createNamedTokenGrants } from './named-token-steps.js';
import { createRefreshGrants } from './refresh-steps.js';
import { createEnds } from './revoke-steps.js';
import { createScopeSteps } from './scope-steps.js';
import { createUndoSteps } from './undo-steps.js';

export const GRANTS = defineCollection<GrantDocument>({
  model: 'AuthorizationServerGrant',
  extendedBy: ['authorizationServer', 'schemas.grant'],
  name: 'oauth_grants',
  people: {
    paths: {
      userId: { person: 'subject', atEnd: 'delete' },
      // leaveNamedTokens
      'namedToken.owners': { person: 'owner', atEnd: 'operation' },
      'namedToken.invitations.userId': {
        person: 'invited',
        atEnd: 'operation',
        with: ['namedToken.invitations.typed'],
      },
      'namedToken.invitations.invitedBy': { person: 'actor', atEnd: 'operation' },
      'namedToken.createdBy': { person: 'actor', atEnd: 'replace' },
    },
    exported:
      'userId clientId grantType authorization.scopes authorization.resources authorization.authorizationDetails authorization.choices authorization.endsAt authorization.authentication namedToken.name namedToken.purpose namedToken.lastUsedOn namedToken.lastUsedFrom createdAt renewedAt revokedAt expiresAt',
  },
  fields: ({ Mixed }) => grantFields(Mixed),
  ttl: 'expiresAt',
  sparse: [
    { userId: 1, clientId: 1 },
    { 'namedToken.owners': 1 },
    { 'exchangedTokens.through': 1 },
    { 'namedToken.invitations.userId': 1 },
    { 'namedToken.invitations.invitedBy': 1 },
    { 'namedToken.createdBy': 1 },
    { 'namedToken.remindAt': 1 },
  ],
  indexes: [[{ clientId: 1, createdAt: -1 }]],
});

/** Each operation is one command, which changes one document atomically. */
export function createGrantStore(
  database: Database,
  extend?: ExtendSchema,
  { hasExchanges = true }: { readonly hasExchanges?: boolean | undefined } = {},
): GrantStore {
  const grants = openCollection(database, GRANTS, extend);
  const find = async (id: string): Promise<Grant | null> => {
    const found = await grants.findOne({ _id: id });
    return found && toGrant(found);
  };

  /** A grant comes with every authorization: `save` is for sites that have a say in it. */
  const insert = async (grant: Grant): Promise<boolean> => {
    const document = toGrantDocument(grant);
    return grants.customFields.length > 0 ? (await grants.save(document)) !== null : grants.insert(document);
  };

  return {
    ...createDeviceGrants(grants),
    ...createExchangeGrants(grants, hasExchanges),
    ...createRefreshGrants(grants),
    ...createUndoSteps(grants),
    ...createScopeSteps(grants),
    ...createChoiceSteps(grants),
    ...createNamedTokenGrants(grants),
    insert: async (grant) => void (await insert(grant)),
    remove: (id) => grants.deleteOne({ _id: id }),
    insertNamedToken: insert,
    async insertAll(all) {
      if (all.length > 0) await grants.insertAll(all.map(toGrantDocument));
    },
    find,
    findOfCode: find,
    async findForGuard({ grantId }) {
      const found = await grants.findOne({ _id: grantId }, GUARD_PROJECTION);
      return found && toGuardedGrant(found);
    },
    redeemCode: ({ grantId }, codeHash, { accessToken, refreshToken, resend, now, expiresAt }) =>
      grants.updateOne(
        {
          _id: grantId,
          'code.hash': codeHash,
          'code.usedAt': { $exists: false },
          'code.expiresAt': { $gt: now },
          revokedAt: { $exists: false },
          blockedAt: { $exists: false },
        },
        {
          $set: {
            'code.usedAt': now,
            renewedAt: now,
            accessTokens: [accessToken],
            expiresAt,
            ...(refreshToken && { refreshToken }),
            ...(resend && { resend }),
          },
        },
      ),
    revokeReplayedCode: (id, codeHash, now) =>
      grants.updateOne(
        { _id: id, 'code.hash': codeHash, 'code.usedAt': { $exists: true }, revokedAt: { $exists: false } },
        { $set: { revokedAt: now } },
      ),
    ...createDetailUse(grants),
    ...createEnds(grants, hasExchanges),
    async blockAll(clientId, now) {
      const unmarked = { clientId, revokedAt: { $exists: false }, blockedAt: { $exists: false } };
      await grants.updateMany(unmarked, { $set: { blockedAt: now } });
      if (hasExchanges) await endExchanged(grants, { clientId });
    },
    async unblockAll(clientId) {
      await grants.updateMany({ clientId, blockedAt: { $exists: true } }, { $unset: { blockedAt: 1 } });
    },
    async countLive(clientId, limit, now) {
      const [counted] = await grants.aggregate<{ live: number }>([
        { $match: { clientId, expiresAt: { $gt: now }, revokedAt: { $exists: false } } },
        { $limit: limit },
        { $count: 'live' },
      ]);
      return counted?.live ?? 0;
    },
    async usageOf(clientIds, limit) {
      const pipeline = unionOf(GRANTS.name, clientIds, (clientId) => usagePipeline(clientId, limit));
      const used = await grants.aggregate<Omit<GrantUsage, 'clientId'> & { _id: string }>(pipeline);
      return used.map(({ _id, ...usage }) => ({ clientId: _id, ...usage }));
    },
    ...createConnectedClients(grants),
  };
}

/** The newest grants, by the index on client and time, so that the work is bounded however many a client has. */
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
