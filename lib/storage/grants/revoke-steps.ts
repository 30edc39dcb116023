import type { GrantStore } from '../../core/grants/grant-store.js';
import type { Documents } from '../connection/collection.js';
import type { GrantDocument } from './grant-document.js';

/** Ends many grants in one command. */
export function createEnds(grants: Documents<GrantDocument>): Pick<GrantStore, 'revokeAll' | 'endSignIn'> {
  return {
    revokeAll: (of, now) =>
      grants.updateMany({ ...of, revokedAt: { $exists: false } }, { $set: { revokedAt: now } }),
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
