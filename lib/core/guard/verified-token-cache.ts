import { hashSecret } from '../../shared/crypto/secrets.js';
import { createCache } from '../../shared/lru-cache.js';
import type { AccessToken } from './access-token.js';
import type { VerifyUncached } from './verify-access-token.js';

export interface VerifiedTokenCacheOptions {
  /** How many tokens. */
  readonly size: number;
  /** Seconds for which a token is cached, at most until it expires; 0: not at all. */
  readonly life: number;
}

/** Verifies tokens, and caches those that are valid. */
export interface VerifiedTokenCache {
  /** The token, if it is cached. */
  readonly recall: (token: string, now: Date) => AccessToken | undefined;
  /** The token from the cache, or verified now. @throws OAuthError */
  readonly verify: (token: string, now: Date) => Promise<AccessToken>;
}

/**
 * Requests that have the same token at the same moment wait for one verification. Only valid tokens are cached, so that
 * guesses cannot push them out.
 */
export function withVerifiedTokenCache(
  verify: VerifyUncached,
  { size, life }: VerifiedTokenCacheOptions,
): VerifiedTokenCache {
  // not even a verification that is under way is shared: the token may have been revoked since it began
  if (life === 0)
    return { recall: () => undefined, verify: async (token, now) => (await verify(token, now)).auth };
  const cache = createCache<AccessToken>({ size, ttl: life });
  const underway = new Map<string, Promise<AccessToken>>();

  const recall = (token: string, key: string, now: Date): AccessToken | undefined => {
    const cached = cache.get(key);
    // ttl alone could be late by a step of the clock
    const isValid = cached !== undefined && (cached.expiresAt ?? Infinity) > now.getTime() / 1000;
    return isValid ? copyOf(cached, token) : undefined;
  };
  const verifyAndCache = async (key: string, token: string, now: Date): Promise<AccessToken> => {
    const { auth, cacheableUntil = Infinity } = await verify(token, now);
    // from now, not from the beginning: a verification may take a while
    const left = Math.min(auth.expiresAt ?? Infinity, cacheableUntil) - Date.now() / 1000;
    if (left > 0) cache.set(key, copyOf(auth, ''), { ttl: Math.ceil(Math.min(life, left) * 1000) });
    return auth;
  };

  // keyed by hash, so that a dump of this process gives no tokens away
  return {
    recall: (token, now) => recall(token, hashSecret(token), now),
    async verify(token, now) {
      const key = hashSecret(token);
      const cached = recall(token, key, now);
      if (cached !== undefined) return cached;
      const verification =
        underway.get(key) ?? verifyAndCache(key, token, now).finally(() => underway.delete(key));
      underway.set(key, verification);
      return copyOf(await verification, token);
    },
  };
}

/** A copy, so that what a route does with its `req.auth` does not affect the next request. */
function copyOf(auth: AccessToken, token: string): AccessToken {
  return {
    ...auth,
    token,
    scopes: [...auth.scopes],
    ...(auth.choices && { choices: structuredClone(auth.choices) }),
    ...(auth.authorizationDetails && { authorizationDetails: structuredClone(auth.authorizationDetails) }),
    ...(auth.amr && { amr: [...auth.amr] }),
    ...(auth.cnf && { cnf: { ...auth.cnf } }),
    ...(auth.extra && { extra: { ...auth.extra } }),
  };
}
