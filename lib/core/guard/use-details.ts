import type { DetailRules } from '../authorization-details/compare-details.js';
import { placesToUse, usableOf } from '../authorization-details/single-use.js';
import type { GrantStore } from '../grants/grant-store.js';
import { type AccessTokens, isStateless } from '../grants/tokens/access-tokens.js';
import type { UseDetails } from './details-check.js';

/**
 * Uses up details in the grant of a token: one conditional update, so of two calls at once only one is let in, in
 * whichever process. The grant is read anew, since what is remembered of it may be older than the last use.
 */
export function createUseDetails(
  {
    grants,
    accessTokens,
  }: { readonly grants: Pick<GrantStore, 'find' | 'useDetails'>; readonly accessTokens: AccessTokens },
  rules: DetailRules,
): UseDetails {
  return async ({ token, details, now }) => {
    const presented = await accessTokens.read(token, now);
    // of a token that is not stored nobody could say whether it was used
    if (presented === null || isStateless(presented)) return false;
    const { grantId } = presented;
    for (;;) {
      const grant = await grants.find(grantId);
      if (!grant || grant.revokedAt !== undefined || grant.blockedAt !== undefined) return false;
      const places = placesToUse(details, usableOf(grant), rules);
      if (places === undefined) return false;
      // if another call was faster, one that was allowed twice may be left; each round uses up at least one
      if (await grants.useDetails({ grantId }, places)) return true;
    }
  };
}
