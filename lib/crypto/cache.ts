import { LRUCache } from 'lru-cache';

export interface MemoryOptions {
  /** How many values; the one that was not used for the longest time goes first. */
  readonly size: number;
  /** Seconds that a value stays, unless `set` says otherwise. Default: no end. */
  readonly life?: number;
}

/** What a process remembers, within bounds. */
export function createMemory<Value extends object | true>({
  size,
  life,
}: MemoryOptions): LRUCache<string, Value> {
  // the clock is asked each time: to ask it less often, lru-cache would set a timer every millisecond
  return new LRUCache<string, Value>({
    // each value counts one; by `max` lru-cache would make room for all at once, 370 KB and 3 ms for 10,000
    maxSize: size,
    sizeCalculation: () => 1,
    ttlResolution: 0,
    ...(life !== undefined && { ttl: life * 1000 }),
  });
}
