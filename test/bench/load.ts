import { quantile } from './statistics.js';

/**
 * A closed loop: each caller waits for its answer before it asks again. The first error ends it. Latencies are in
 * milliseconds.
 */
export async function makeLoad(run: () => Promise<void>, count: number, callers: number) {
  const latencies = new Float64Array(count);
  let next = 0;
  const caller = async () => {
    while (next < count) {
      const index = next++;
      const begin = performance.now();
      await run();
      latencies[index] = performance.now() - begin;
    }
  };
  const begin = performance.now();
  try {
    await Promise.all(Array.from({ length: Math.min(callers, count) }, caller));
  } catch (error) {
    next = count;
    throw error;
  }
  const seconds = (performance.now() - begin) / 1000;
  return { requests: count, seconds, p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99) };
}
