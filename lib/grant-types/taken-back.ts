import type { Grant } from '../grants/grant.js';
import type { GrantStore } from '../grants/grant-store.js';

/**
 * The grant as it is now, if it was used up when it was read but that step was undone since, as another process does if
 * it did not learn the outcome of the step (settled-grants.ts). The request begins again with it.
 */
export async function grantTakenBack(
  grants: Pick<GrantStore, 'find'>,
  read: Grant,
  isUsedUp: (grant: Grant) => boolean,
): Promise<Grant | undefined> {
  if (!isUsedUp(read)) return undefined;
  const grant = await grants.find(read.grantId);
  return grant === null || isUsedUp(grant) ? undefined : grant;
}
