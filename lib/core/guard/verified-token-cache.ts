import { hashSecret } from '../../shared/crypto/secrets.js';
import { createCache } from '../../shared/lru-cache.js';
import type { AccessToken } from './access-token.js';
import type { VerifyToken } from './verify-access-token.js';

export interface VerifiedTokenCacheOptions {
  /** How many tokens. */
  readonly size: number;
  /** Seconds that a token is believed without being checked again, at most until it expires; 0: not at all. */
  readonly life: number;
}

/** Tokens that were checked before. */
export interface VerifiedTokens {
  /** What is remembered of a token, if anything. */
  readonly recall: (token: string, now: Date) => AccessToken | undefined;
  /** What is remembered, or found. @throws OAuthError */
  readonly verify: (token: string, now: Date) => Promise<AccessToken>;
}

/**
 * Verifies a token once, and remembers it for a while; requests that bring the same token in the meantime wait for the
 * same answer. Only valid tokens are remembered, so that guesses cannot push them out.
 */
export function withVerifiedTokenCache(
  verify: VerifyToken,
  { size, life }: VerifiedTokenCacheOptions,
): VerifiedTokens {
  // then not even a pending answer is shared: it may be older than a revocation
  if (life === 0)
    return { recall: () => undefined, verify: async (token, now) => (await verify(token, now)).auth };
  const cache = createCache<AccessToken>({ size, ttl: life });
  const underway = new Map<string, Promise<AccessToken>>();

  const verifyAndRemember = async (key: string, token: string, now: Date): Promise<AccessToken> => {
    const { auth, believedUntil = Infinity } = await verify(token, now);
    // counted from now, not from the question: an answer may take a while
    const left = Math.min(auth.expiresAt ?? Infinity, believedUntil) - Date.now() / 1000;
    if (left > 0) cache.set(key, copyOf(auth, ''), { ttl: Math.ceil(Math.min(life, left) * 1000) });
    return auth;
  };
  const verifyOnce = (key: string, token: string, now: Date): Promise<AccessToken> => {
    const answer =
      underway.get(key) ?? verifyAndRemember(key, token, now).finally(() => underway.delete(key));
    underway.set(key, answer);
    return answer;
  };

  const recall = (token: string, key: string, now: Date): AccessToken | undefined => {
    const cached = cache.get(key);
    // ttl alone could be late by a step of the clock
    const isValid = cached !== undefined && (cached.expiresAt ?? Infinity) > now.getTime() / 1000;
    return isValid ? copyOf(cached, token) : undefined;
  };

  // keyed by hash, so that a dump of this process gives no tokens away
  return {
    recall: (token, now) => recall(token, hashSecret(token), now),
    async verify(token, now) {
      const key = hashSecret(token);
      return recall(token, key, now) ?? copyOf(await verifyOnce(key, token, now), token);
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
