import { LRUCache } from 'lru-cache';

/**
 * A bounded memory of the process.
 *
 * @param size how many values it holds; the least recently used one is dropped first
 * @param ttl seconds that a value stays, unless `set` says otherwise; 0: no end
 */
export function createCache<Value extends object | true>({
  size,
  ttl = 0,
}: {
  readonly size: number;
  readonly ttl?: number;
}): LRUCache<string, Value> {
  // the clock is asked each time: to ask it less often, lru-cache would set a timer every millisecond
  return new LRUCache<string, Value>({
    // each value counts as one; with `max`, lru-cache would allocate room for all at once, 370 KB and 3 ms for 10,000
    maxSize: size,
    sizeCalculation: () => 1,
    ttlResolution: 0,
    ttl: ttl * 1000,
  });
}
