import type { Acting, ExchangeGrants, GrantStore } from '../../core/grants/grant-store.js';
import type { Collection } from '../connection/collection.js';
import type { GrantDocument } from './grant-document.js';

/** A grant keeps this many exchanged tokens (the oldest goes first), so it cannot grow without bound. */
const MAX_EXCHANGED_TOKENS = 50;

/** What exchanges do to the grant whose token is exchanged; a part of the store of grants. */
export function createExchangeGrants(
  grants: Collection<GrantDocument>,
  hasExchanges: boolean,
): ExchangeGrants & Pick<GrantStore, 'revokeAccessToken'> {
  return {
    exchangeToken: ({ grantId, hash }, exchanged, now) => {
      const live = { $elemMatch: { hash, expiresAt: { $gt: now } } };
      return grants.updateOne(
        {
          _id: grantId,
          // in the condition of the same step: a token that is revoked meanwhile gives no other one
          ...(exchanged.lineage.length > 2 ? { exchangedTokens: live } : { accessTokens: live }),
          revokedAt: { $exists: false },
          blockedAt: { $exists: false },
        },
        { $push: { exchangedTokens: { $each: [exchanged], $slice: -MAX_EXCHANGED_TOKENS } } },
      );
    },
    findExchangers: ({ userId, clientId }, now) =>
      grants
        .aggregate<{ readonly _id: string; readonly at: Date }>([
          { $match: { userId, clientId, expiresAt: { $gt: now }, revokedAt: { $exists: false } } },
          { $unwind: '$exchangedTokens' },
          // the client, and those who act beside it
          { $unwind: '$exchangedTokens.through' },
          { $match: { 'exchangedTokens.through': { $ne: clientId } } },
          { $group: { _id: '$exchangedTokens.through', at: { $max: '$exchangedTokens.issuedAt' } } },
        ])
        .then(toActing),
    findActors: ({ userId, clientId }, now) =>
      grants
        .aggregate<{ readonly _id: string; readonly at: Date }>([
          {
            $match: {
              ...{ userId, clientId, expiresAt: { $gt: now }, revokedAt: { $exists: false } },
              'authorization.actor': { $exists: true },
            },
          },
          { $group: { _id: '$authorization.actor.sub', at: { $max: '$createdAt' } } },
        ])
        .then(toActing),
    async revokeAccessToken({ grantId, hash, clientId }) {
      const isOwn = await grants.updateOne(
        { _id: grantId, clientId, 'accessTokens.hash': hash },
        { $pull: { accessTokens: { hash }, exchangedTokens: { lineage: hash } } },
      );
      if (isOwn || !hasExchanges) return isOwn;
      return grants.updateOne(
        { _id: grantId, exchangedTokens: { $elemMatch: { hash, clientId } } },
        { $pull: { exchangedTokens: { lineage: hash } } },
      );
    },
  };
}

function toActing(found: readonly { readonly _id: string; readonly at: Date }[]): readonly Acting[] {
  return found.map(({ _id, at }) => ({ name: _id, at }));
}

/** Ends the tokens that came through a client in grants of others, of one user or of all. */
export async function endExchanged(
  grants: Collection<GrantDocument>,
  { userId, clientId }: { readonly userId?: string | undefined; readonly clientId: string },
): Promise<void> {
  await grants.updateMany(
    { ...(userId !== undefined && { userId }), 'exchangedTokens.through': clientId },
    { $pull: { exchangedTokens: { through: clientId } } },
  );
}
