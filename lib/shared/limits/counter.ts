/** Counts how many there are of each key; nothing is kept for a key with none. */
export interface Counter {
  of(key: string): number;
  /** Returns how many there are with it. */
  add(key: string): number;
  remove(key: string): void;
}

export function createCounter(): Counter {
  const counts = new Map<string, number>();
  const of = (key: string): number => counts.get(key) ?? 0;
  const set = (key: string, count: number): number => {
    if (count > 0) counts.set(key, count);
    else counts.delete(key);
    return count;
  };
  return {
    of,
    add: (key) => set(key, of(key) + 1),
    remove: (key) => void set(key, of(key) - 1),
  };
}
