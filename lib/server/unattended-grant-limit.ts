import type { Client } from '../core/clients/client.js';
import { isByOthers } from '../core/clients/provenance.js';
import type { Sender } from '../core/http/sender.js';
import { createFailureLimit, failureKey } from '../shared/limits/failure-limit.js';
import type { Stores } from '../storage/stores.js';

export interface UnaskedLimitOptions {
  readonly models: Pick<Stores, 'failures'>;
  /** How many are allowed in a minute; false: no limit. */
  readonly most: number | false;
  /** What is counted: `devices`. */
  readonly counted: string;
  /** The name under which all processes count together. */
  readonly name: string;
}

/** @throws OAuthError with status 429 */
export type UnaskedLimit = (sender: Sender, client: Client) => Promise<void>;

/**
 * For requests that store something before any person has been asked: anybody can send one in the name of a public
 * client, or of one of their own.
 */
export function createUnaskedLimit({ models, most, counted, name }: UnaskedLimitOptions): UnaskedLimit {
  const limit = createFailureLimit(
    most !== false && { failures: most, window: 60, counted, shared: { name, store: models.failures } },
  );
  return async (sender, client) => {
    if (client.type === 'public') await limit.spend(failureKey(sender, ''));
    else if (isByOthers(client)) await limit.spend(failureKey({}, client.clientId));
  };
}
