import type { Grant } from '../grants/grant.js';
import type { GrantStore } from '../grants/grant-store.js';

/**
 * The grant as it is now, if what had used it up when it was read was taken back since, as another process does with a
 * step whose outcome it did not learn (settled-grants.ts): the request begins again with it.
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
