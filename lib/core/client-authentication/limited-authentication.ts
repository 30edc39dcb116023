import type { Settings } from '../../settings/settings.js';
import { OAuthError } from '../../shared/errors.js';
import { once } from '../../shared/lazy.js';
import {
  type Attempt,
  beginInAll,
  createFailureLimit,
  failureKey,
} from '../../shared/limits/failure-limit.js';
import { PER_ADDRESS } from '../../shared/limits/guess-limit.js';
import type { SharedFailures } from '../../shared/limits/shared-failures.js';
import type { FetchCaller } from '../../shared/outbound/fetch-for-stranger.js';
import type { Client } from '../clients/client.js';
import type { Sender } from '../http/sender.js';
import type { AuthenticateOptions, ClientAuthentication } from './client-authentication.js';
import type { ClientAuthenticationRequest } from './method.js';

export interface LimitedOptions extends Pick<AuthenticateOptions, 'onFound'> {
  readonly sender: Sender;
  readonly allowsCachedClient: boolean;
}

/** Client authentication that refuses a caller who was wrong too often. */
export interface LimitedAuthentication extends Pick<ClientAuthentication, 'parameters'> {
  /** @throws OAuthError */
  authenticate(request: ClientAuthenticationRequest, options: LimitedOptions): Promise<Client>;
}

const WINDOW = 60;

/**
 * One limit for all endpoints, counted per address and client, so that another endpoint gives no further tries. After
 * too many, a secret that a person chose is not even tried, and it counts per address as well. What is random or signed
 * cannot be guessed, so it is accepted if it is right.
 *
 * @see RFC 6749 §2.3.1: MUST be protected against brute force attacks
 */
export function createLimitedAuthentication(
  { rateLimits, clientCacheTtl, issuer }: Settings,
  { identify, authenticate, parameters }: ClientAuthentication,
  store: SharedFailures,
): LimitedAuthentication {
  const limitOf = (name: string, times: number) =>
    createFailureLimit(
      rateLimits && { failures: rateLimits.token * times, window: WINDOW, shared: { name, store } },
    );
  const byClient = limitOf('client', 1);
  const byAddress = limitOf('client address', PER_ADDRESS);
  return {
    parameters,
    async authenticate(request, { sender, allowsCachedClient, ...options }) {
      const claimed = identify({
        ...request,
        isFromForeignPage: isFromForeignPage(sender, issuer),
        closeSignal: sender.closeSignal,
      });
      const key = once(() => failureKey(sender, claimed.clientId));
      let guess: Attempt | undefined;
      const beforeGuess = async (): Promise<void> => {
        guess ??= await beginInAll([
          { limit: byClient, key: key() },
          { limit: byAddress, key: failureKey(sender, '') },
        ]);
      };
      try {
        // without remembered clients, this would only read a client twice whose credentials are wrong
        const fresh = clientCacheTtl === 0 || !allowsCachedClient;
        const getCaller = (): FetchCaller => ({ ip: sender.ip });
        const client = await authenticate(claimed, { ...options, fresh, beforeGuess, getCaller });
        guess?.giveBack();
        return client;
      } catch (error) {
        if (!(error instanceof OAuthError) || error.error !== 'invalid_client') guess?.giveBack();
        else await (guess === undefined ? byClient.spend(key()) : guess.fail());
        throw error;
      }
    },
  };
}

/** Browsers name the origin of a page in each request that it sends to another origin (Fetch §3.2). */
function isFromForeignPage({ headers: { origin } }: Sender, issuer: string): boolean {
  return origin !== undefined && origin !== new URL(issuer).origin;
}
