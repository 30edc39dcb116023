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

export interface Figure {
  readonly median: number;
  /** The place of the true median, 19 times out of 20; with fewer than six rounds their whole range. */
  readonly interval: readonly [low: number, high: number];
  readonly rounds: readonly number[];
  /** The interval is wider than the allowed share of the median, so the median means nothing. */
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
 * Between two of the sorted rounds, by the sign test: it assumes nothing about the distribution of rounds, and, unlike
 * the middle half of them, it narrows with each round.
 */
function medianInterval(rounds: readonly number[]): [low: number, high: number] {
  const sorted = Float64Array.from(rounds).sort();
  const count = sorted.length;
  let below = 0;
  // the probability that this many rounds, or fewer, are below the median
  let tail = 0.5 ** count;
  for (let share = tail; tail <= 0.025; tail += share) {
    below += 1;
    share *= (count - below + 1) / below;
  }
  const rank = Math.max(0, below - 1);
  return [sorted[rank] ?? NaN, sorted[count - 1 - rank] ?? NaN];
}

/** The ratio to the other, round by round, so that a disturbance affects both. */
export function summarizeRatio(rounds: readonly number[], others: readonly number[], widest: number): Figure {
  return summarize(
    rounds.map((value, round) => value / (others[round] ?? NaN)),
    widest,
  );
}
