import { OAuthError } from '../../shared/errors.js';
import type { SharedFailures } from '../../shared/limits/failure-limit.js';
import { insertWithinLimit } from '../../shared/limits/insert-within-limit.js';
import type { Client } from '../clients/client.js';
import type { Grant } from './grant.js';
import type { GrantStore } from './grant-store.js';

type Capped = Pick<Client, 'clientId'> & Partial<Pick<Client, 'tokensPerHour' | 'maxGrants'>>;

/** The most that a client may have. Each check costs one command, or none if the client does not have that cap. */
export type ClientCaps = ReturnType<typeof createClientCaps>;

export function createClientCaps(models: { readonly failures: SharedFailures; readonly grants: GrantStore }) {
  const count = models.failures.counterOf({ name: 'tokens', window: 3600 });
  return {
    /**
     * Counts a token, of those that are refused as well, within a window of an hour.
     *
     * @throws OAuthError with status 429 if there were too many
     */
    async spendToken({ clientId, tokensPerHour }: Capped) {
      if (tokensPerHour === undefined) return;
      const { failures: tokens, wait } = await count(clientId, 1);
      if (tokens > tokensPerHour) throw tooManyTokens(tokensPerHour, Math.max(1, wait));
    },
    checkGrants: (client: Capped, now: Date) => checkGrants(models.grants, client, now),
  };
}

/**
 * Checks that there is room for one more grant before a user is asked for it, and before code of the site runs, which
 * may use something up; `insertGrant` decides.
 *
 * @throws OAuthError access_denied
 */
export async function checkGrants(
  grants: Pick<GrantStore, 'countLive'>,
  { clientId, maxGrants }: Capped,
  now: Date,
): Promise<void> {
  if (maxGrants !== undefined && (await grants.countLive(clientId, maxGrants, now)) >= maxGrants)
    throw tooManyGrants(maxGrants);
}

export type LimitedGrants = Pick<GrantStore, 'insert' | 'remove' | 'countLive'>;

/**
 * Stores a new grant, also if several begin at the same moment.
 *
 * @throws OAuthError access_denied if there is no room
 */
export function insertGrant(
  grants: LimitedGrants,
  { clientId, maxGrants: max }: Capped,
  grant: Grant,
): Promise<void> {
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

function tooManyTokens(tokensPerHour: number, wait: number): OAuthError {
  return new OAuthError(
    'temporarily_unavailable',
    `the client may have ${tokensPerHour} tokens an hour, try again in ${wait} seconds`,
    {
      reason: 'rate_limited',
      status: 429,
      headers: { 'Retry-After': String(wait) },
      detail: `tokensPerHour of the client is ${tokensPerHour}`,
    },
  );
}
