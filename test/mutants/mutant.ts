/** A security check of lib that is broken on purpose: some test has to see it. */
export interface Mutant {
  /** What no longer holds, and whose rule that was. */
  readonly breaks: string;
  /** Under lib. */
  readonly file: string;
  /** The text that occurs there exactly once, and its replacement. */
  readonly from: string;
  readonly to: string;
  /** The suites that should see it, below test. */
  readonly seenBy: readonly string[];
  /** Why it may live: what else protects, or why no test can tell. */
  readonly lives?: string;
}

type Change = Pick<Mutant, 'breaks' | 'from' | 'to' | 'lives'> & Partial<Pick<Mutant, 'seenBy'>>;

/** Mutants of one file, with the suites that see them unless one names its own. */
export function mutantsOf(file: string, seenBy: readonly string[], changes: readonly Change[]): Mutant[] {
  return changes.map((change) => ({ file, seenBy, ...change }));
}
