import type { GrantStore, LostScopes } from '../grants/grant-store.js';
import type { Documents } from './documents.js';
import type { GrantDocument } from './grant-document.js';

/** Takes scopes out of what was granted already: four commands, however many grants there are. */
export function createNarrowing(grants: Documents<GrantDocument>): Pick<GrantStore, 'narrowAll'> {
  return {
    async narrowAll({ userId, clientId }, lost, now) {
      const ofThem = { userId, clientId, revokedAt: { $exists: false } };
      const names = { $in: [...lost.keys()] };
      const narrow = (field: 'authorization.scopes' | 'scopes') =>
        grants.updateMany({ ...ofThem, [field]: names }, [{ $set: { [field]: without(lost, `$${field}`) } }]);
      // what a code stands for is known already where it is redeemed: its client has to ask anew
      const endCodes = () =>
        grants.updateMany(
          {
            ...ofThem,
            'authorization.scopes': names,
            'code.hash': { $exists: true },
            'code.usedAt': { $exists: false },
          },
          { $set: { revokedAt: now } },
        );
      await endCodes();
      const narrowed = await narrow('authorization.scopes');
      // grants from before 0.2 have them at the top
      const narrowedToo = await narrow('scopes');
      // of one that had asked before that
      await endCodes();
      return narrowed + narrowedToo;
    },
  };
}

/** $literal: a scope may begin with $. */
function without(lost: LostScopes, field: string): object {
  const left = [...lost].filter(([, stays]) => stays.length > 0);
  return {
    $setUnion: [
      { $setDifference: [field, { $literal: [...lost.keys()] }] },
      ...left.map(([scope, stays]) => ({
        $cond: [{ $in: [{ $literal: scope }, field] }, { $literal: stays }, []],
      })),
    ],
  };
}
