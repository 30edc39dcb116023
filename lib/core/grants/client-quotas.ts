import { OAuthError } from '../../shared/errors.js';
import { insertWithinLimit } from '../../shared/limits/insert-within-limit.js';
import type { Client } from '../clients/client.js';
import type { Grant } from './grant.js';
import type { GrantStore } from './grant-store.js';

type Capped = Pick<Client, 'clientId'> & Partial<Pick<Client, 'tokensPerHour' | 'maxGrants'>>;

/**
 * Checks that there is room for one more grant before a user is asked for it, and before code of the site runs, which
 * may use something up; `insertGrant` decides.
 *
 * @throws OAuthError access_denied
 */
export async function checkGrants(
  grants: GrantStore,
  { clientId, maxGrants }: Capped,
  now: Date,
): Promise<void> {
  if (maxGrants !== undefined && (await grants.countLive(clientId, maxGrants, now)) >= maxGrants)
    throw tooManyGrants(maxGrants);
}

/**
 * Stores a new grant, also if several begin at the same moment.
 *
 * @throws OAuthError access_denied if there is no room
 */
export function insertGrant(
  grants: GrantStore,
  { clientId, maxGrants: max }: Capped,
  grant: Grant,
): Promise<unknown> {
  const insert = () => grants.insert(grant);
  if (max === undefined) return insert();
  return insertWithinLimit({
    max,
    count: (limit) => grants.countLive(clientId, limit, grant.createdAt),
    insert,
    remove: () => grants.remove(grant.grantId),
    tooMany: () => tooManyGrants(max),
  });
}

function tooManyGrants(maxGrants: number): OAuthError {
  const description = `the client may have ${maxGrants} grants at once, and has them`;
  return new OAuthError('access_denied', description, {
    reason: 'too_many_grants',
    // RFC 6749 §5.2: the token endpoint answers 400
    status: 400,
    detail: `maxGrants is ${maxGrants}`,
  });
}
