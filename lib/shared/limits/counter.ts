import { OAuthError } from '../errors.js';

/** Counts how many there are of each key; nothing is kept for a key with none. `add` returns how many there are with it. */
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
 * Waits for an answer of somebody else, unless too many wait already. So the memory of waiting requests is bounded,
 * however slow the other side is and however many come meanwhile.
 *
 * @throws OAuthError temporarily_unavailable
 */
export type ConcurrencyLimit = <T>(key: string, ask: () => Promise<T>) => Promise<T>;

/**
 * @param size how many may wait
 * @param perKey how many of them may wait for the same thing
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
