import type { Client } from '../core/clients/client.js';
import { isThirdParty } from '../core/clients/provenance.js';
import type { RequestOrigin } from '../core/http/request-origin.js';
import { createFailureLimit, failureKey } from '../shared/limits/failure-limit.js';
import type { Server } from './server.js';

/**
 * Limits requests that store something without a user: anybody can send one in the name of a public client, or of a
 * client of their own.
 *
 * @param counted the plural of what is counted, also the name of the shared count of all processes
 * @param max how many are allowed in a minute, unless limits are off
 * @returns a function that counts one more, and throws OAuthError with status 429 beyond the limit
 */
export function createUnattendedGrantLimit({ settings, models }: Server, counted: string, max: number) {
  const limit = createFailureLimit(
    settings.security.rateLimits !== false && {
      failures: max,
      window: 60,
      counted,
      shared: { name: counted, store: models.failures },
    },
  );
  return async (origin: RequestOrigin, client: Client): Promise<void> => {
    if (client.type === 'public') await limit.consume(failureKey(origin, ''));
    else if (isThirdParty(client)) await limit.consume(failureKey({}, client.clientId));
  };
}
