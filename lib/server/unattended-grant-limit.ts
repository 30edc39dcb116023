import type { Client } from '../core/clients/client.js';
import { isThirdParty } from '../core/clients/provenance.js';
import type { RequestOrigin } from '../core/http/request-origin.js';
import { createFailureLimit, failureKey } from '../shared/limits/failure-limit.js';
import type { Stores } from '../storage/stores.js';

export interface UnattendedGrantLimitOptions {
  readonly models: Pick<Stores, 'failures'>;
  /** How many are allowed in a minute; false: no limit. */
  readonly max: number | false;
  /** What is counted: `devices`. */
  readonly counted: string;
  /** The name under which all processes count together. */
  readonly name: string;
}

/** @throws OAuthError with status 429 */
export type UnaskedLimit = (origin: RequestOrigin, client: Client) => Promise<void>;

/**
 * For requests that store something before any user has been asked: anybody can send one in the name of a public
 * client, or of one of their own.
 */
export function createUnattendedGrantLimit({
  models,
  max,
  counted,
  name,
}: UnattendedGrantLimitOptions): UnaskedLimit {
  const limit = createFailureLimit(
    max !== false && { failures: max, window: 60, counted, shared: { name, store: models.failures } },
  );
  return async (origin, client) => {
    if (client.type === 'public') await limit.consume(failureKey(origin, ''));
    else if (isThirdParty(client)) await limit.consume(failureKey({}, client.clientId));
  };
}
