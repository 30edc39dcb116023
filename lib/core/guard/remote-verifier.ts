import type { BearerGuardSettings } from '../../settings/bearer-guard-options.js';
import { OAuthError } from '../../shared/errors.js';
import { createCounter } from '../../shared/limits/counter.js';
import { createFailureLimit, failureKey } from '../../shared/limits/failure-limit.js';
import { createKeyedMutex } from '../../shared/limits/keyed-mutex.js';
import { createConcurrencyLimit } from '../../shared/outbound/concurrency-limit.js';
import { isJwt } from '../grants/tokens/access-tokens.js';
import type { AccessToken } from './access-token.js';
import { createDiscovery, MAX_AGE } from './discovery.js';
import { createIntrospectionVerifier, type IntrospectionVerifierOptions } from './introspection-verifier.js';
import { createJwtVerifier } from './jwt-verifier.js';
import type { TokenWatchOptions } from './token-watch.js';
import { withVerifiedTokenCache } from './verified-token-cache.js';
import { invalidToken, type VerifyAccessToken } from './verify-access-token.js';

/** Requests that may wait for introspections at the same moment; each holds some kilobytes. */
const MAX_WAITING = 1000;

/** Requests of one address that may wait to have their tokens introspected after too many of its tokens were wrong. */
const MAX_BEYOND_LIMIT = 20;

/** Verifies the tokens of an authorization server that is another process. */
export interface RemoteVerifier {
  readonly verify: VerifyAccessToken;
  /** Verifies again, and uses no cached result of an introspection. */
  readonly recheck: TokenWatchOptions['recheck'];
}

/** JWTs by the published keys, other tokens by introspection. */
export function createRemoteVerifier(options: BearerGuardSettings, resource: string): RemoteVerifier {
  const { issuer, timeout, keysCooldown, cache, security } = options;
  const { clockTolerance } = security;
  const discover = createDiscovery({ issuer, timeout, keysCooldown });
  const verifyUncached = createJwtVerifier({ issuer, resource, discover, clockTolerance });
  // a key that the issuer has removed is used until the key set is fetched again; what it has signed is cached no
  // longer
  const jwts = withVerifiedTokenCache(verifyUncached, { size: cache.size, life: MAX_AGE });
  const opaque = createOpaqueVerifier(options, { resource, discover, clockTolerance });
  // nothing that looks like a JWT is introspected: a forged one would get a second chance
  return {
    verify: async (context) =>
      isJwt(context.token) ? jwts.verify(context.token, context.now) : opaque.verify(context),
    recheck: async (token, now) => (isJwt(token) ? jwts.verify(token, now) : opaque.recheck(token, now)),
  };
}

/** Opaque tokens. Anybody can make some up, so the wrong ones of each address are limited. */
function createOpaqueVerifier(
  options: BearerGuardSettings,
  target: Pick<IntrospectionVerifierOptions, 'resource' | 'discover' | 'clockTolerance'>,
): RemoteVerifier {
  const { clientId, clientSecret, clientKey, cache: cacheOptions } = options;
  if (clientId === undefined) return refuseOpaque();
  const client = { clientId, clientSecret, clientKey };
  const introspect = createIntrospectionVerifier({ ...options, ...target, client });
  const cache = withVerifiedTokenCache(introspect, { size: cacheOptions.size, life: cacheOptions.maxAge });
  const wait = createConcurrencyLimit({ size: MAX_WAITING });
  const withLimit = createWrongTokenLimit(options);
  return {
    async verify({ token, origin, now }) {
      const cached = cache.recall(token, now);
      if (cached !== undefined) return cached;
      return withLimit(failureKey(origin, ''), () => wait('introspection', () => cache.verify(token, now)));
    },
    recheck: async (token, now) => (await wait('introspection', () => introspect(token, now))).auth,
  };
}

function refuseOpaque(): RemoteVerifier {
  const refuse = () =>
    Promise.reject(
      invalidToken(
        'an opaque token, and bearerGuard has no clientId and clientSecret (or clientKey) to ask about it with',
      ),
    );
  return { verify: refuse, recheck: refuse };
}

type Verify = () => Promise<AccessToken>;

/**
 * Limits how many wrong tokens of an address are introspected. It refuses no right token of a neighbour at the same
 * address: those wait in a short queue once the limit is reached.
 */
function createWrongTokenLimit({
  rateLimit,
}: Pick<BearerGuardSettings, 'rateLimit'>): (key: string, verify: Verify) => Promise<AccessToken> {
  const limit = createFailureLimit(
    rateLimit !== false && { failures: rateLimit, window: 60, counted: 'wrong access tokens' },
  );
  const verifyInQueue = createVerifyInQueue();
  return async (key, verify) => {
    const attempt = await limit.reserve(key).catch((limitError: OAuthError) => limitError);
    if (attempt instanceof OAuthError) return verifyInQueue(key, verify, attempt);
    try {
      const auth = await verify();
      attempt.refund();
      return auth;
    } catch (error) {
      if (isWrongToken(error)) await attempt.fail();
      else attempt.refund();
      throw error;
    }
  };
}

/**
 * Verifies one token of an address at a time. If the queue is full, or the token wrong, it throws the limit's error.
 */
function createVerifyInQueue(): (
  key: string,
  verify: Verify,
  limitError: OAuthError,
) => Promise<AccessToken> {
  const runExclusive = createKeyedMutex();
  const waiting = createCounter();
  return async (key, verify, limitError) => {
    if (waiting.of(key) >= MAX_BEYOND_LIMIT) throw limitError;
    waiting.add(key);
    try {
      return await runExclusive(key, verify);
    } catch (error) {
      throw isWrongToken(error) ? limitError : error;
    } finally {
      waiting.remove(key);
    }
  };
}

function isWrongToken(error: unknown): boolean {
  return error instanceof OAuthError && error.error === 'invalid_token';
}
