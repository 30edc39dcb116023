/** Where all processes count failures together. */
export interface SharedFailures {
  /** What one limit counts, under a name that no other has. */
  counterOf(limit: CountedLimit): CountFailures;
}

export interface CountedLimit {
  readonly name: string;
  /** Seconds that failures count, from the first one on. */
  readonly window: number;
}

/**
 * Adds failures to those of a key, and says how many there are by now and for how many seconds they still count.
 *
 * @throws OAuthError temporarily_unavailable if it was not done
 */
export type CountFailures = (
  key: string,
  failures: number,
) => Promise<{ readonly failures: number; readonly wait: number }>;
