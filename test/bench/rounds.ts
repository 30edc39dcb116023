export interface RoundsOptions {
  /** The requested number. */
  readonly rounds: number;
  /** The maximum number, if figures are noisy. */
  readonly maxRounds: number;
  readonly round: (number: number) => Promise<void>;
  /** A reported figure is over its limit. */
  readonly isNoisy: () => boolean;
}

/** All requested rounds, then more as long as they are noisy; none is dropped. Resolves to their number. */
export async function takeRounds({ rounds, maxRounds, round, isNoisy }: RoundsOptions): Promise<number> {
  let taken = 0;
  while (taken < rounds || (taken < maxRounds && isNoisy())) await round((taken += 1));
  return taken;
}
