import type { TokenOfClient } from '../../core/grants/grant.js';
import type { GrantStore } from '../../core/grants/grant-store.js';
import type { Collection } from '../connection/collection.js';
import { type GrantDocument, USABLE } from './grant-document.js';

/** A grant keeps this many exchanged tokens (the oldest goes first), so it cannot grow without bound. */
const MAX_EXCHANGED_TOKENS = 50;

/** What access tokens, and tokens exchanged for them (RFC 8693), do to their grant; a part of the store of grants. */
export function createAccessTokenSteps(grants: Collection<GrantDocument>, hasExchanges: boolean) {
  return {
    // of two calls at once only one finds them unused
    useDetails: ({ grantId }, places) =>
      grants.updateOne(
        { _id: grantId, usedDetails: { $nin: [...places] }, ...USABLE },
        { $push: { usedDetails: { $each: [...places] } } },
      ),
    exchangeToken: ({ grantId, hash }, exchanged, now) => {
      const subject = { $elemMatch: { hash, expiresAt: { $gt: now } } };
      return grants.updateOne(
        {
          _id: grantId,
          // in the condition of the same step: a token that is revoked meanwhile gives no other one
          [exchanged.lineage.length > 2 ? 'exchangedTokens' : 'accessTokens']: subject,
          ...USABLE,
        },
        { $push: { exchangedTokens: { $each: [exchanged], $slice: -MAX_EXCHANGED_TOKENS } } },
      );
    },
    /** Ends one access token of a client, and what was exchanged for it; false if it is not one of that client. */
    async revokeAccessToken({ grantId, hash, clientId }: TokenOfClient): Promise<boolean> {
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
  } satisfies Partial<GrantStore> & Record<string, unknown>;
}
