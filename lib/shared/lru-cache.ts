import { LRUCache } from 'lru-cache';

export interface MemoryOptions {
  /** How many values it holds; the least recently used one is dropped first. */
  readonly size: number;
  /** Seconds that a value stays, unless `set` says otherwise. Default: no end. */
  readonly life?: number;
}

/** A bounded memory of the process. */
export function createMemory<Value extends object | true>({
  size,
  life,
}: MemoryOptions): LRUCache<string, Value> {
  // the clock is asked each time: to ask it less often, lru-cache would set a timer every millisecond
  return new LRUCache<string, Value>({
    // each value counts as one; with `max`, lru-cache would allocate room for all at once, 370 KB and 3 ms for 10,000
    maxSize: size,
    sizeCalculation: () => 1,
    ttlResolution: 0,
    ...(life !== undefined && { ttl: life * 1000 }),
  });
}
