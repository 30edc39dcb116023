import type { BearerGuardSettings } from '../../settings/bearer-guard-options.js';
import { hashSecret } from '../../shared/crypto/secrets.js';
import { OAuthError } from '../../shared/errors.js';
import { createConcurrencyLimit, createCounter } from '../../shared/limits/counter.js';
import { createFailureLimit, failureKey } from '../../shared/limits/failure-limit.js';
import { createKeyedMutex } from '../../shared/limits/keyed-mutex.js';
import { createCache } from '../../shared/lru-cache.js';
import { withoutUndefined } from '../../shared/without-undefined.js';
import { isJwt } from '../grants/tokens/access-tokens.js';
import type { AccessToken } from './access-token.js';
import { createDiscovery, MAX_AGE } from './discovery.js';
import { createIntrospectionVerifier } from './introspection-verifier.js';
import { createJwtVerifier } from './jwt-verifier.js';
import type { VerifyAccessToken, VerifyUncached } from './verify-access-token.js';

/** Requests that may wait for introspections at once; each takes some kilobytes. */
const MAX_WAITING = 1000;

/** Requests from one address whose tokens may wait for introspection after too many wrong tokens from that address. */
const MAX_BEYOND_LIMIT = 20;
/** Cached valid tokens, JWTs and opaque ones separately. */
const CACHED_TOKENS = 10_000;

/**
 * Verifies the tokens of an authorization server that is another process: JWTs by the published keys, other tokens by
 * introspection.
 */
export function createRemoteVerifier(options: BearerGuardSettings, resource: string) {
  const server = { ...options, resource };
  const discover = createDiscovery(server);
  // a removed key is used until the key set is fetched again; tokens that it signed are not cached any longer
  const jwts = withVerifiedTokenCache(createJwtVerifier(server, discover), {
    size: CACHED_TOKENS,
    life: MAX_AGE,
  });
  const introspect = createIntrospectionVerifier(server, discover);
  const opaque = withVerifiedTokenCache(introspect, { size: CACHED_TOKENS, life: options.cacheMaxAge });
  const wait = createConcurrencyLimit(MAX_WAITING);
  const withLimit = createWrongTokenLimit(options.clientId !== undefined && options.rateLimit);

  // JWTs are never introspected: a forged one would get a second chance
  return {
    verify: (async ({ token, origin, now }) => {
      if (isJwt(token)) return jwts.verify(token, now);
      const cached = opaque.recall(token, now);
      if (cached !== undefined) return cached;
      return withLimit(failureKey(origin, ''), () => wait('introspection', () => opaque.verify(token, now)));
    }) satisfies VerifyAccessToken,
    /** Verifies again, without cached introspections. */
    recheck: async (token: string, now: Date) =>
      isJwt(token)
        ? jwts.verify(token, now)
        : (await wait('introspection', () => introspect(token, now))).auth,
  };
}

/**
 * Limits how many wrong tokens of an address are introspected, since anybody can make up tokens. A valid token from the
 * same address is not refused: once the limit is reached, tokens wait in a short queue, one at a time. If the queue is
 * full, or the token wrong, the limit's error is thrown.
 */
function createWrongTokenLimit(
  rateLimit: BearerGuardSettings['rateLimit'],
): (key: string, verify: () => Promise<AccessToken>) => Promise<AccessToken> {
  const limit = createFailureLimit(
    rateLimit !== false && { failures: rateLimit, window: 60, counted: 'wrong access tokens' },
  );
  const runExclusive = createKeyedMutex();
  const waiting = createCounter();
  const isWrongToken = (error: unknown) => error instanceof OAuthError && error.error === 'invalid_token';

  return async (key, verify) => {
    const attempt = await limit.reserve(key).catch((limitError: OAuthError) => limitError);
    if (!(attempt instanceof OAuthError)) {
      try {
        const auth = await verify();
        attempt.refund();
        return auth;
      } catch (error) {
        if (isWrongToken(error)) await attempt.fail();
        else attempt.refund();
        throw error;
      }
    }
    if (waiting.of(key) >= MAX_BEYOND_LIMIT) throw attempt;
    waiting.add(key);
    try {
      return await runExclusive(key, verify);
    } catch (error) {
      throw isWrongToken(error) ? attempt : error;
    } finally {
      waiting.remove(key);
    }
  };
}

/**
 * Concurrent requests with the same token share one verification. Only valid tokens are cached, so that guesses cannot
 * evict them.
 *
 * @param options `size`: how many tokens; `life`: seconds for which a token is cached, at most until it expires, 0: not
 * at all
 */
export function withVerifiedTokenCache(
  verify: VerifyUncached,
  { size, life }: { readonly size: number; readonly life: number },
): {
  /** The token, if it is cached. */
  readonly recall: (token: string, now: Date) => AccessToken | undefined;
  /** The token from the cache, or verified now. @throws OAuthError */
  readonly verify: (token: string, now: Date) => Promise<AccessToken>;
} {
  // not even a verification in progress is shared: the token may have been revoked since it began
  if (life === 0)
    return { recall: () => undefined, verify: async (token, now) => (await verify(token, now)).auth };
  const cache = createCache<AccessToken>({ size, ttl: life });
  const underway = new Map<string, Promise<AccessToken>>();

  const recall = (token: string, key: string, now: Date): AccessToken | undefined => {
    const cached = cache.get(key);
    // ttl alone could be late by a step of the clock
    const isValid = cached !== undefined && (cached.expiresAt ?? Infinity) > now.getTime() / 1000;
    return isValid ? copyToken(cached, token) : undefined;
  };
  const verifyAndCache = async (key: string, token: string, now: Date): Promise<AccessToken> => {
    const { auth, cacheableUntil = Infinity } = await verify(token, now);
    // the time left from now on: a verification may take a while
    const left = Math.min(auth.expiresAt ?? Infinity, cacheableUntil) - Date.now() / 1000;
    if (left > 0) cache.set(key, copyToken(auth, ''), { ttl: Math.ceil(Math.min(life, left) * 1000) });
    return auth;
  };

  // the keys are hashes, so that a dump of this process reveals no tokens
  return {
    recall: (token, now) => recall(token, hashSecret(token), now),
    async verify(token, now) {
      const key = hashSecret(token);
      const cached = recall(token, key, now);
      if (cached !== undefined) return cached;
      const verification =
        underway.get(key) ?? verifyAndCache(key, token, now).finally(() => underway.delete(key));
      underway.set(key, verification);
      return copyToken(await verification, token);
    },
  };
}

/** A copy, so that a route's changes to `req.auth` do not affect the next request. */
function copyToken(auth: AccessToken, token: string): AccessToken {
  const { choices, authorizationDetails, amr, cnf, extra } = auth;
  return {
    ...auth,
    token,
    scopes: [...auth.scopes],
    ...withoutUndefined({
      choices: choices && structuredClone(choices),
      authorizationDetails: authorizationDetails && structuredClone(authorizationDetails),
      amr: amr && [...amr],
      cnf: cnf && { ...cnf },
      extra: extra && { ...extra },
    }),
  };
}
