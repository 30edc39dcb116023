import { OAuthError } from '../errors.js';

/** Counts by key; a key at zero uses no memory. `add` returns the new count of the key. */
export function createCounter() {
  const counts = new Map<string, number>();
  const of = (key: string): number => counts.get(key) ?? 0;
  const set = (key: string, count: number): number => {
    if (count > 0) counts.set(key, count);
    else counts.delete(key);
    return count;
  };
  return {
    of,
    add: (key: string): number => set(key, of(key) + 1),
    remove: (key: string): void => void set(key, of(key) - 1),
  };
}

/**
 * Waits for another server, unless too many requests wait already. So the memory of waiting requests is bounded,
 * however slow the server is and however many requests come.
 *
 * @throws OAuthError temporarily_unavailable
 */
export type ConcurrencyLimit = <T>(key: string, ask: () => Promise<T>) => Promise<T>;

/**
 * @param size how many requests may wait
 * @param perKey how many of them may wait for the same key
 */
export function createConcurrencyLimit(size: number, perKey = size): ConcurrencyLimit {
  const waiting = createCounter();
  let all = 0;

  return async (key, ask) => {
    if (all >= size || waiting.of(key) >= perKey)
      throw new OAuthError(
        'temporarily_unavailable',
        'too many requests wait for the same answer, please try again',
        { headers: { 'Retry-After': '5' }, detail: `${all >= size ? size : perKey} requests wait already` },
      );
    all += 1;
    waiting.add(key);
    try {
      return await ask();
    } finally {
      all -= 1;
      waiting.remove(key);
    }
  };
}
