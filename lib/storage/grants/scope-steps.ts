import type { GrantStore, LostScopes } from '../../core/grants/grant-store.js';
import type { Collection } from '../connection/collection.js';
import type { GrantDocument } from './grant-document.js';

const SCOPES = 'authorization.scopes';
/** How single claims were allowed: by their scopes, or each by itself. */
const CLAIM_SCOPES = 'authorization.openid.claimScopes';
type Field = typeof SCOPES | typeof CLAIM_SCOPES;

/** Removes scopes from what was granted already, with four commands however many grants there are. */
export function createScopeSteps(grants: Collection<GrantDocument>): Pick<GrantStore, 'revokeScopes'> {
  return {
    async revokeScopes({ userId, clientId }, lost, now) {
      const ofThem = { userId, clientId, revokedAt: { $exists: false } };
      const names = { $in: [...lost.keys()] };
      const narrow = (field: Field, ...more: readonly Field[]) =>
        grants.updateMany({ ...ofThem, [field]: names }, [
          { $set: Object.fromEntries([field, ...more].map((each) => [each, without(lost, `$${each}`)])) },
        ]);
      // the process that redeems a code may remember its grant, so its client has to ask again
      const endCodes = () =>
        grants.updateMany(
          {
            ...ofThem,
            $or: [{ [SCOPES]: names }, { [CLAIM_SCOPES]: names }],
            'code.hash': { $exists: true },
            'code.usedAt': { $exists: false },
          },
          { $set: { revokedAt: now } },
        );
      await endCodes();
      // a grant may have claims of a scope that its tokens never had (OpenID Connect Core §5.5)
      const ofClaims = await narrow(CLAIM_SCOPES, SCOPES);
      const narrowed = await narrow(SCOPES);
      // codes of requests that had begun before that
      await endCodes();
      return ofClaims + narrowed;
    },
  };
}

/** In the order in which they were; set operators have none. $literal: a scope may begin with $. */
function without(lost: LostScopes, field: string): object {
  const isAmong = (scope: unknown, scopes: unknown) => ({ $in: [scope, scopes] });
  const stays = new Set([...lost.values()].flat());
  const added = [...stays].map((stay) => {
    const givers = [...lost].filter(([, each]) => each.includes(stay)).map(([scope]) => scope);
    const isGiven = { $or: givers.map((scope) => isAmong({ $literal: scope }, field)) };
    const isThere = lost.has(stay) ? false : isAmong({ $literal: stay }, field);
    return { $cond: [{ $and: [isGiven, { $not: [isThere] }] }, { $literal: [stay] }, []] };
  });
  const others = {
    $filter: {
      input: field,
      as: 'scope',
      cond: { $not: [isAmong('$$scope', { $literal: [...lost.keys()] })] },
    },
  };
  return { $concatArrays: [others, ...added] };
}
