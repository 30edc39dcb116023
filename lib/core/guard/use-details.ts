import type { DetailRules } from '../authorization-details/compare-details.js';
import { indexesToUse, usableOf } from '../authorization-details/single-use.js';
import type { GrantStore } from '../grants/grant-store.js';
import { findAccessToken, findInactiveReason } from '../grants/stored-access-token.js';
import { type AccessTokens, isStateless } from '../grants/tokens/access-tokens.js';
import type { UseDetails } from './details-check.js';

/**
 * Uses up details in the grant of a token by one conditional update: of two calls at once only one is let in, in
 * whichever process. The grant is read from the database, since a cached one may be older than the last use.
 */
export function createUseDetails(
  {
    grants,
    accessTokens,
  }: { readonly grants: Pick<GrantStore, 'find' | 'useDetails'>; readonly accessTokens: AccessTokens },
  { isBlockedDomain, ...rules }: DetailRules & { readonly isBlockedDomain: (clientId: string) => boolean },
): UseDetails {
  return async ({ token, details, now }) => {
    const presented = await accessTokens.read(token, now);
    // fail closed: nothing records which details of a token without a stored grant have been used
    if (presented === null || isStateless(presented)) return false;
    const { grantId, hash } = presented;
    for (;;) {
      const grant = await grants.find(grantId);
      const found = grant && findAccessToken(grant, hash);
      if (!grant || !found || findInactiveReason(grant, found, { isBlockedDomain, now })) return false;
      const indexes = indexesToUse(details, usableOf(grant), rules);
      if (indexes === undefined) return false;
      // Another call was faster: try again, since an equal detail may be left. It ends, as each round uses up one.
      if (await grants.useDetails({ grantId }, indexes)) return true;
    }
  };
}
