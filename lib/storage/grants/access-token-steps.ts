import type { TokenOfClient } from '../../core/grants/grant.js';
import type { GrantStore } from '../../core/grants/grant-store.js';
import type { Collection } from '../connection/collection.js';
import { type GrantDocument, USABLE } from './grant-document.js';

/** Maximum number of exchanged tokens of a grant (the oldest is dropped first), which bounds its size. */
const MAX_EXCHANGED_TOKENS = 50;

/** Updates of a grant by its access tokens, and by tokens exchanged for them (RFC 8693); a part of the grant store. */
export function createAccessTokenSteps(grants: Collection<GrantDocument>, hasExchanges: boolean) {
  return {
    // only the first of two concurrent calls matches
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
          // in the condition of the update: a token that is revoked meanwhile cannot be exchanged
          [exchanged.lineage.length > 2 ? 'exchangedTokens' : 'accessTokens']: subject,
          ...USABLE,
        },
        { $push: { exchangedTokens: { $each: [exchanged], $slice: -MAX_EXCHANGED_TOKENS } } },
      );
    },
    /** Ends an access token of a client, and the tokens exchanged for it; false if the token is not of that client. */
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
