import { createCache } from '../../shared/lru-cache.js';

/** Proofs that were used, kept while they could be used again (RFC 9449 §11.1). */
export interface UsedProofs {
  /** Notes that the key has used the id; false if it had used it before. */
  use(jkt: string, jti: string, expiresAt: Date): Promise<boolean>;
}

/** How many one process remembers; the least recently used is forgotten first. */
const CACHED = 100_000;

/** Only for this process: another one accepts the same proof once more. */
export function rememberUsedProofs(): UsedProofs {
  const used = createCache<true>({ size: CACHED });
  return {
    use(jkt, jti, expiresAt) {
      const key = `${jkt} ${jti}`;
      if (used.has(key)) return Promise.resolve(false);
      used.set(key, true, { ttl: Math.max(1, expiresAt.getTime() - Date.now()) });
      return Promise.resolve(true);
    },
  };
}
