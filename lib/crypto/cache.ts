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
    max: size,
    ttlResolution: 0,
    ...(life !== undefined && { ttl: life * 1000 }),
  });
}
