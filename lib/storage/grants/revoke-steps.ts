import type { GrantStore } from '../../core/grants/grant-store.js';
import type { Collection } from '../connection/collection.js';
import { endExchanged } from './exchange-steps.js';
import type { GrantDocument } from './grant-document.js';

/** Ends many grants in one command. */
export function createEnds(
  grants: Collection<GrantDocument>,
  hasExchanges: boolean,
): Pick<GrantStore, 'revokeAll' | 'endSignIn'> {
  return {
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
