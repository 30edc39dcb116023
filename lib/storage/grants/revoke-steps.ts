import type { GrantStore } from '../../core/grants/grant-store.js';
import { grantTypesOf } from '../../core/grants/named-token.js';
import { withoutUndefined } from '../../shared/without-undefined.js';
import type { Collection } from '../connection/collection.js';
import { idsInBatches } from '../connection/query-helpers.js';
import { endExchanged } from './exchange-steps.js';
import type { GrantDocument } from './grant-document.js';

/** Ends many grants: by one command, or in batches if any number of users may have them. */
export function createEnds(
  grants: Collection<GrantDocument>,
  hasExchanges: boolean,
): Pick<GrantStore, 'revokeAll' | 'revokeMatching' | 'endSignIn'> {
  return {
    async revokeMatching({ scopes, kind, issuedBefore, ...of }, { now, dryRun, onProgress }) {
      const filter = withoutUndefined({
        ...of,
        'authorization.scopes': scopes && { $in: [...scopes] },
        grantType: kind && grantTypesOf(kind),
        createdAt: issuedBefore && { $lt: issuedBefore },
        revokedAt: { $exists: false },
      });
      let count = 0;
      for await (const ids of idsInBatches(grants, filter)) {
        count += dryRun
          ? ids.length
          : await grants.updateMany(
              { _id: { $in: ids }, revokedAt: { $exists: false } },
              { $set: { revokedAt: now } },
            );
        onProgress?.(count);
      }
      const { userId, clientId } = of;
      if (hasExchanges && clientId !== undefined && !dryRun) await endExchanged(grants, { userId, clientId });
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
