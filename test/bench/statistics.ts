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
  /** The middle half of the rounds, from end to end, as a share of the median: 0.1 is 10 %. */
  readonly spread: number;
  readonly rounds: readonly number[];
  /** The spread is over the limit: the median tells nothing. */
  readonly isNoisy: boolean;
}

export function summarize(rounds: readonly number[], spreadLimit: number): Figure {
  const middle = median(rounds);
  const spread = middle === 0 ? 0 : (quantile(rounds, 0.75) - quantile(rounds, 0.25)) / middle;
  return { median: middle, spread, rounds, isNoisy: !(spread <= spreadLimit) };
}

/** How many times as much as the other, round by round: what disturbs a round disturbs both. */
export function summarizeRatio(
  rounds: readonly number[],
  others: readonly number[],
  spreadLimit: number,
): Figure {
  return summarize(
    rounds.map((value, round) => value / (others[round] ?? NaN)),
    spreadLimit,
  );
}
