export interface RoundsOptions {
  /** How many are asked for. */
  readonly rounds: number;
  /** How many at most, if figures are noisy. */
  readonly maxRounds: number;
  readonly round: (number: number) => Promise<void>;
  /** A figure that is to be reported is over its limit. */
  readonly isNoisy: () => boolean;
}

/** All rounds that were asked for, then more as long as they are noisy; none is dropped. Resolves to their number. */
export async function takeRounds({ rounds, maxRounds, round, isNoisy }: RoundsOptions): Promise<number> {
  let taken = 0;
  while (taken < rounds || (taken < maxRounds && isNoisy())) await round((taken += 1));
  return taken;
}
