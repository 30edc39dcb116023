/** Linear between the two nearest values; `values` need not be sorted. */
export function quantile(values: Iterable<number>, fraction: number): number {
  const sorted = Float64Array.from(values).sort();
  if (sorted.length === 0) return NaN;
  const position = fraction * (sorted.length - 1);
  const below = sorted[Math.floor(position)] ?? NaN;
  const above = sorted[Math.ceil(position)] ?? NaN;
  return below + (above - below) * (position - Math.floor(position));
}

export function median(values: Iterable<number>): number {
  return quantile(values, 0.5);
}

/** A figure over several rounds. */
export interface Figure {
  readonly median: number;
  /** Where the median of ever so many rounds would be, 19 times of 20; of fewer than six rounds all that they had. */
  readonly interval: readonly [low: number, high: number];
  readonly rounds: readonly number[];
  /** The interval, from end to end, is wider than this share of the median allows: the median tells nothing. */
  readonly isNoisy: boolean;
}

/** `widest` is a share of the median: 0.1 is 10 %. */
export function summarize(rounds: readonly number[], widest: number): Figure {
  const middle = median(rounds);
  const interval = medianInterval(rounds);
  const width = middle === 0 ? 0 : (interval[1] - interval[0]) / middle;
  return { median: middle, interval, rounds, isNoisy: !(width <= widest) };
}

/**
 * Between two of the sorted rounds, as the sign test has it: nothing is supposed of how rounds are distributed, and, other
 * than the middle half of them, it narrows by each round that is taken.
 */
function medianInterval(rounds: readonly number[]): [low: number, high: number] {
  const sorted = Float64Array.from(rounds).sort();
  const count = sorted.length;
  let below = 0;
  // how probable it is that so many rounds, or fewer, are below the median
  let tail = 0.5 ** count;
  for (let share = tail; tail <= 0.025; tail += share) {
    below += 1;
    share *= (count - below + 1) / below;
  }
  const rank = Math.max(0, below - 1);
  return [sorted[rank] ?? NaN, sorted[count - 1 - rank] ?? NaN];
}

/** How many times as much as the other, round by round: what disturbs a round disturbs both. */
export function summarizeRatio(rounds: readonly number[], others: readonly number[], widest: number): Figure {
  return summarize(
    rounds.map((value, round) => value / (others[round] ?? NaN)),
    widest,
  );
}
