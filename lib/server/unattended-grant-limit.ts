import type { Client } from '../core/clients/client.js';
import { isThirdParty } from '../core/clients/provenance.js';
import type { RequestOrigin } from '../core/http/request-origin.js';
import { createFailureLimit, failureKey } from '../shared/limits/failure-limit.js';
import type { Stores } from '../storage/stores.js';

/**
 * For requests that store something before any user has been asked: anybody can send one in the name of a public
 * client, or of one of their own.
 *
 * @param max how many are allowed in a minute; false: no limit
 * @param counted what is counted, and the name under which all processes count together
 * @returns a function that counts one more, and throws OAuthError with status 429 if there were too many
 */
export function createUnattendedGrantLimit(
  { failures }: Stores,
  max: number | false,
  { counted, name }: { readonly counted: string; readonly name: string },
) {
  const limit = createFailureLimit(
    max !== false && { failures: max, window: 60, counted, shared: { name, store: failures } },
  );
  return async (origin: RequestOrigin, client: Client): Promise<void> => {
    if (client.type === 'public') await limit.consume(failureKey(origin, ''));
    else if (isThirdParty(client)) await limit.consume(failureKey({}, client.clientId));
  };
}
