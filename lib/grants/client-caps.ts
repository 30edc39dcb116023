import type { Client } from '../clients/client.js';
import { OAuthError } from '../errors.js';
import type { SharedFailures } from '../limits/shared-failures.js';
import type { GrantStore } from './grant-store.js';

/** What a client may have at most. Each check costs one command, and none for a client without that cap. */
export interface ClientCaps {
  /**
   * Counts a token. What is refused counts as well, until the hour is over that began with the first one.
   *
   * @throws OAuthError with status 429 if there were too many
   */
  spendToken(client: Client): Promise<void>;
  /**
   * That there is room for one more grant. Of several that begin at the same moment, all may find it.
   *
   * @throws OAuthError access_denied
   */
  checkGrants(client: Client, now: Date): Promise<void>;
}

export function createClientCaps({
  failures,
  grants,
}: {
  readonly failures: SharedFailures;
  readonly grants: Pick<GrantStore, 'countLive'>;
}): ClientCaps {
  const count = failures.counterOf({ name: 'tokens', window: 3600 });
  return {
    async spendToken({ clientId, tokensPerHour }) {
      if (tokensPerHour === undefined) return;
      const { failures: tokens, wait } = await count(clientId, 1);
      if (tokens > tokensPerHour) throw tooManyTokens(tokensPerHour, Math.max(1, wait));
    },
    async checkGrants({ clientId, maxGrants }, now) {
      if (maxGrants === undefined || (await grants.countLive(clientId, maxGrants, now)) < maxGrants) return;
      throw new OAuthError('access_denied', `the client may have ${maxGrants} grants at once, and has them`, {
        reason: 'too_many_grants',
        // RFC 6749 §5.2: the token endpoint answers 400
        status: 400,
        detail: `maxGrants of the client is ${maxGrants}`,
      });
    },
  };
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
