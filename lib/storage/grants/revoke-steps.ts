import type { GrantStore } from '../../core/grants/grant-store.js';
import { grantTypesOf } from '../../core/grants/named-token.js';
import { withoutUndefined } from '../../shared/without-undefined.js';
import type { Collection } from '../connection/collection.js';
import { idRanges } from '../connection/query-helpers.js';
import { endExchanged } from './exchange-steps.js';
import type { GrantDocument } from './grant-document.js';

/** Ends many grants: by one command, or in batches if any number of users may have them. */
export function createEnds(
  grants: Collection<GrantDocument>,
  hasExchanges: boolean,
): Pick<GrantStore, 'revokeAll' | 'revokeMatching' | 'endSignIn'> {
  return {
    async revokeMatching({ scopes, kind, issuedBefore, ...whose }, { now, dryRun, onProgress }) {
      const of = withoutUndefined(whose);
      const filter = withoutUndefined({
        ...of,
        'authorization.scopes': scopes && { $in: [...scopes] },
        grantType: kind && grantTypesOf(kind),
        createdAt: issuedBefore && { $lt: issuedBefore },
        revokedAt: { $exists: false },
      });
      // the index finds the grants of a user or of a client; for others the collection is looked through
      const ranges = Object.keys(of).length > 0 ? [{}] : idRanges(grants);
      let count = 0;
      for await (const range of ranges) {
        const matching = { ...filter, ...range };
        count += dryRun
          ? await grants.count(matching, Number.MAX_SAFE_INTEGER)
          : await grants.updateMany(matching, { $set: { revokedAt: now } });
        onProgress?.(count);
      }
      return count;
    },
    async revokeAll(of, now) {
      const revoked = await grants.updateMany(
        { ...of, revokedAt: { $exists: false } },
        { $set: { revokedAt: now } },
      );
      const { userId, clientId } = of;
      if (hasExchanges && clientId !== undefined) await endExchanged(grants, { userId, clientId });
      return revoked;
    },
    endSignIn: ({ userId, sid, clientId }, now) =>
      grants.updateMany(
        {
          userId,
          ...(clientId !== undefined && { clientId }),
          'authorization.openid.sid': sid ?? { $exists: true },
          // grants for offline access go on (OpenID Connect Core §11)
          'authorization.scopes': { $ne: 'offline_access' },
          revokedAt: { $exists: false },
        },
        { $set: { revokedAt: now } },
      ),
  };
}
