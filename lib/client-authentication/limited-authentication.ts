import type { Client } from '../clients/client.js';
import type { Sender } from '../http/sender.js';
import { countingFailures, createFailureLimit, failureKey } from '../limits/failure-limit.js';
import type { SharedFailures } from '../limits/shared-failures.js';
import type { Settings } from '../settings/settings.js';
import type { ClientAuthentication } from './client-authentication.js';
import type { ClientAuthenticationRequest } from './method.js';

/** Client authentication that refuses a caller who was wrong too often. */
export interface LimitedAuthentication extends Pick<ClientAuthentication, 'identify' | 'parameters'> {
  /** @throws OAuthError */
  authenticate(
    request: ClientAuthenticationRequest,
    options: { readonly sender: Sender; readonly allowsCachedClient: boolean },
  ): Promise<Client>;
}

/**
 * One limit for all endpoints, counted per address and client: another endpoint gives no further tries.
 *
 * @see RFC 6749 §2.3.1: MUST be protected against brute force attacks
 */
export function createLimitedAuthentication(
  { rateLimits, clientCacheTtl }: Settings,
  { identify, authenticate, parameters }: ClientAuthentication,
  store: SharedFailures,
): LimitedAuthentication {
  const limit = createFailureLimit(
    rateLimits && { failures: rateLimits.token, window: 60, shared: { name: 'client', store } },
  );
  return {
    identify,
    parameters,
    authenticate(request, { sender, allowsCachedClient }) {
      const claimed = identify(request);
      const key = failureKey(sender, claimed.clientId);
      return countingFailures({ limit, key, code: 'invalid_client' }, () =>
        authenticate(claimed, {
          // a server that remembers no clients would only read a wrong one twice
          fresh: clientCacheTtl === 0 || !allowsCachedClient,
          beforeGuess: () => limit.check(key),
        }),
      );
    },
  };
}
