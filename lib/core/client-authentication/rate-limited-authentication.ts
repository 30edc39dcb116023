import type { Settings } from '../../settings/settings.js';
import { OAuthError } from '../../shared/errors.js';
import { lazy } from '../../shared/lazy.js';
import {
  type Attempt,
  createFailureLimit,
  failureKey,
  reserveAll,
} from '../../shared/limits/failure-limit.js';
import { ADDRESS_FACTOR } from '../../shared/limits/guess-limit.js';
import type { SharedFailures } from '../../shared/limits/shared-failures.js';
import type { FetchCaller } from '../../shared/outbound/limit-untrusted-fetch.js';
import type { Client } from '../clients/client.js';
import type { RequestOrigin } from '../http/request-origin.js';
import type { AuthenticateOptions, ClientAuthentication } from './client-authentication.js';
import type { ClientAuthenticationRequest } from './method.js';

export interface RateLimitedOptions extends Pick<AuthenticateOptions, 'onFound'> {
  readonly origin: RequestOrigin;
  readonly allowsCachedClient: boolean;
}

/** Client authentication that refuses a caller who was wrong too often. */
export interface RateLimitedAuthentication extends Pick<ClientAuthentication, 'parameters'> {
  /** @throws OAuthError */
  authenticate(request: ClientAuthenticationRequest, options: RateLimitedOptions): Promise<Client>;
}

/** Seconds. */
const WINDOW = 60;

/**
 * One limit for all endpoints, counted per address and client, so that another endpoint gives no further tries. After
 * too many failures, secrets that users chose (bcrypt) are refused without a check, and their failures also count per
 * address. Generated secrets and signatures cannot be guessed, so correct ones are always accepted.
 *
 * @see RFC 6749 §2.3.1: MUST be protected against brute force attacks
 */
export function createRateLimitedAuthentication(
  { security: { rateLimits }, advanced: { clientCacheTtl }, issuer }: Settings,
  { identify, authenticate, parameters }: ClientAuthentication,
  store: SharedFailures,
): RateLimitedAuthentication {
  const limitOf = (name: string, times: number) =>
    createFailureLimit(
      rateLimits && { failures: rateLimits.token * times, window: WINDOW, shared: { name, store } },
    );
  const byClient = limitOf('client', 1);
  const byAddress = limitOf('client address', ADDRESS_FACTOR);
  return {
    parameters,
    async authenticate(request, { origin, allowsCachedClient, ...options }) {
      const claimed = identify({
        ...request,
        isFromForeignPage: isFromForeignPage(origin, issuer),
        closeSignal: origin.closeSignal,
      });
      const key = lazy(() => failureKey(origin, claimed.clientId));
      let guess: Attempt | undefined;
      const beforeGuess = async (): Promise<void> => {
        guess ??= await reserveAll([
          { limit: byClient, key: key() },
          { limit: byAddress, key: failureKey(origin, '') },
        ]);
      };
      try {
        // without a cache, reading the client again after a failure would be a second command for nothing
        const fresh = clientCacheTtl === 0 || !allowsCachedClient;
        const getCaller = (): FetchCaller => ({ ip: origin.ip });
        const client = await authenticate(claimed, { ...options, fresh, beforeGuess, getCaller });
        guess?.refund();
        return client;
      } catch (error) {
        if (!(error instanceof OAuthError) || error.error !== 'invalid_client') guess?.refund();
        else await (guess === undefined ? byClient.consume(key()) : guess.fail());
        throw error;
      }
    },
  };
}

/** Browsers name the origin of a page in each request that it sends to another origin (Fetch §3.2). */
function isFromForeignPage({ headers: { origin } }: RequestOrigin, issuer: string): boolean {
  return origin !== undefined && origin !== new URL(issuer).origin;
}
