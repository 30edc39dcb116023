import { LRUCache } from 'lru-cache';

/**
 * A bounded cache of the process.
 *
 * @param size maximum number of values; the least recently used one is dropped first
 * @param ttl seconds that a value stays, unless `set` has another ttl; 0: no end
 */
export function createCache<Value extends object | true>({
  size,
  ttl = 0,
}: {
  readonly size: number;
  readonly ttl?: number;
}): LRUCache<string, Value> {
  // reads the clock at each access: otherwise lru-cache sets a timer every millisecond
  return new LRUCache<string, Value>({
    // each value has size one; with `max`, lru-cache would allocate memory for all at once, 370 KB and 3 ms for 10,000
    maxSize: size,
    sizeCalculation: () => 1,
    ttlResolution: 0,
    ttl: ttl * 1000,
  });
}
