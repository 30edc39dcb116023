import type { GrantStore } from '../../core/grants/grant-store.js';
import type { Collection } from '../connection/collection.js';
import type { GrantDocument } from './grant-document.js';

/** Uses up authorization details that are good for one call; a part of the store of grants. */
export function createDetailUse(grants: Collection<GrantDocument>): Pick<GrantStore, 'useDetails'> {
  return {
    useDetails: ({ grantId }, places) =>
      grants.updateOne(
        {
          _id: grantId,
          // of two calls at once only one finds them unused
          usedDetails: { $nin: [...places] },
          revokedAt: { $exists: false },
          blockedAt: { $exists: false },
        },
        { $push: { usedDetails: { $each: [...places] } } },
      ),
  };
}
