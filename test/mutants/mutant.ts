/** A security check of lib that is broken on purpose: some test has to see it. */
export interface Mutant {
  /** What does not hold any more, and whose rule that was. */
  readonly breaks: string;
  /** Under lib. */
  readonly file: string;
  /** What stands there, exactly once; and what stands there instead. */
  readonly from: string;
  readonly to: string;
  /** The suites that ought to see it, under test. */
  readonly seenBy: readonly string[];
  /** Why it may live: what else protects, or why no test can tell. */
  readonly lives?: string;
}

type Change = Pick<Mutant, 'breaks' | 'from' | 'to' | 'lives'> & Partial<Pick<Mutant, 'seenBy'>>;

/** Mutants of one file; what the same suites see need not be said of each. */
export function mutantsOf(file: string, seenBy: readonly string[], changes: readonly Change[]): Mutant[] {
  return changes.map((change) => ({ file, seenBy, ...change }));
}
