import { OAuthError } from '../../shared/errors.js';
import type { SharedFailures } from '../../shared/limits/failure-limit.js';
import { insertWithinLimit, type LimitedInsert } from '../../shared/limits/insert-within-limit.js';
import type { Client } from '../clients/client.js';
import type { Grant } from './grant.js';
import type { GrantStore } from './grant-store.js';

/** What the caps of a client depend on. */
type Capped = Pick<Client, 'clientId' | 'document'> & Partial<Pick<Client, 'tokensPerHour' | 'maxGrants'>>;

/** The most that a client may have. Each check costs one command, or none if the client does not have that cap. */
export interface ClientCaps {
  /**
   * Counts a token, of those that are refused as well, within a window of an hour.
   *
   * @throws OAuthError with status 429 if there were too many
   */
  spendToken(client: Capped): Promise<void>;
  /**
   * Checks that there is room for one more grant before a user is asked for it; `insertGrant` decides.
   *
   * @throws OAuthError access_denied
   */
  checkGrants(client: Capped, now: Date): Promise<void>;
}

export function createClientCaps({
  failures,
  grants,
}: {
  readonly failures: SharedFailures;
  readonly grants: Pick<GrantStore, 'countLive' | 'countLiveOfHost'>;
}): ClientCaps {
  const count = failures.counterOf({ name: 'tokens', window: 3600 });
  const countOfHost = failures.counterOf({ name: 'tokens of host', window: 3600 });
  return {
    async spendToken({ clientId, tokensPerHour, document }) {
      const ofHost = document?.caps?.tokensPerHour;
      if (tokensPerHour !== undefined) spend(tokensPerHour, await count(clientId, 1));
      if (ofHost !== undefined) spend(ofHost, await countOfHost(originOf(clientId), 1));
    },
    checkGrants: (client, now) => checkGrants(grants, client, now),
  };
}

/** As {@link ClientCaps.checkGrants}: also before code of the site runs, which may use something up. */
export async function checkGrants(
  grants: Pick<GrantStore, 'countLive' | 'countLiveOfHost'>,
  client: Capped,
  now: Date,
): Promise<void> {
  for (const { max, count, tooMany } of grantCaps(grants, client, now))
    if ((await count(max)) >= max) throw tooMany();
}

/** What counts grants, and stores one. */
export type LimitedGrants = Pick<GrantStore, 'insert' | 'remove' | 'countLive' | 'countLiveOfHost'>;

/**
 * Stores a new grant, also if several begin at the same moment.
 *
 * @throws OAuthError access_denied if there is no room
 */
export function insertGrant(grants: LimitedGrants, client: Capped, grant: Grant): Promise<void> {
  const remove = () => grants.remove(grant.grantId);
  return grantCaps(grants, client, grant.createdAt).reduce(
    (insert, cap) => () => insertWithinLimit({ ...cap, insert, remove }),
    () => grants.insert(grant),
  )();
}

type Cap = Pick<LimitedInsert<unknown>, 'max' | 'count' | 'tooMany'>;

function grantCaps(
  grants: Pick<GrantStore, 'countLive' | 'countLiveOfHost'>,
  { clientId, maxGrants, document }: Capped,
  now: Date,
): readonly Cap[] {
  const ofHost = document?.caps?.maxGrants;
  const caps: Cap[] = [];
  if (maxGrants !== undefined)
    caps.push({
      max: maxGrants,
      count: (limit) => grants.countLive(clientId, limit, now),
      tooMany: () =>
        tooManyGrants(`the client may have ${maxGrants} grants at once, and has them`, maxGrants),
    });
  if (ofHost !== undefined)
    caps.push({
      max: ofHost,
      count: (limit) => grants.countLiveOfHost(originOf(clientId), limit, now),
      tooMany: () =>
        tooManyGrants(`clients of this host may have ${ofHost} grants at once, and have them`, ofHost),
    });
  return caps;
}

/** The origin of a client id that is a URL, without the port: whoever has a host has its ports. */
function originOf(clientId: string): string {
  const { protocol, hostname } = new URL(clientId);
  return `${protocol}//${hostname}`;
}

function spend(max: number, { failures: tokens, wait }: { failures: number; wait: number }): void {
  if (tokens > max) throw tooManyTokens(max, Math.max(1, wait));
}

function tooManyGrants(description: string, maxGrants: number): OAuthError {
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
