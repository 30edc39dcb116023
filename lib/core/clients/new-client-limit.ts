import type { Request } from 'express';

import { OAuthError } from '../../shared/errors.js';
import { createFailureLimit, failureKey, type SharedFailures } from '../../shared/limits/failure-limit.js';
import type { OAuthEvents } from '../observability/events.js';
import type { Client } from './client.js';
import { isThirdParty } from './provenance.js';

/** Counts a new client that a user allows; false beyond the limit. */
export type CountNewClient = ReturnType<typeof createNewClientLimit>;

/** New clients that a user can allow in a day. */
const MAX_A_DAY = 50;
/** Seconds. */
const DAY = 86_400;

/**
 * Limits the clients that one user makes this site store: a client that describes itself is stored once the first user
 * allows it, and a client that registered itself then stays. Clients in use, and clients that the site vouches for, do
 * not count.
 *
 * @param isOn whether the limits are enabled
 */
export function createNewClientLimit(failures: SharedFailures, isOn: boolean, events: OAuthEvents) {
  const limit = createFailureLimit(
    isOn && {
      failures: MAX_A_DAY,
      window: DAY,
      counted: 'new applications',
      shared: { name: 'new_clients', store: failures },
    },
  );
  return async (
    { req, client, userId }: { readonly req: Request; readonly client: Client; readonly userId: string },
    endpoint: string,
  ): Promise<boolean> => {
    const { document, registration } = client;
    const isUnused = document?.isUnstored === true || registration?.unusedSince !== undefined;
    if (!isUnused || !isThirdParty(client)) return true;
    try {
      await limit.consume(failureKey({}, userId));
      return true;
    } catch (error) {
      if (!(error instanceof OAuthError && error.status === 429)) throw error;
      events.emit('rate.limited', { endpoint }, req);
      return false;
    }
  };
}
