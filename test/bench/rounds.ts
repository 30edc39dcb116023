export interface RoundsOptions {
  /** So many are asked for. */
  readonly rounds: number;
  /** At most so many, where figures are noisy. */
  readonly mostRounds: number;
  /** One round of all participants. */
  readonly round: (number: number) => Promise<void>;
  /** A figure that is to be reported is over its limit. */
  readonly isNoisy: () => boolean;
}

/** All rounds that were asked for, then more as long as they are noisy; none is dropped. Resolves to how many it were. */
export async function takeRounds({ rounds, mostRounds, round, isNoisy }: RoundsOptions): Promise<number> {
  let taken = 0;
  while (taken < rounds || (taken < mostRounds && isNoisy())) await round((taken += 1));
  return taken;
}
