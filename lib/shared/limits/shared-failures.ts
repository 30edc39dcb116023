/** Where all processes count failures together. */
export interface SharedFailures {
  /** The counter of one limit, under a name that no other limit has. */
  counterOf(limit: CountedLimit): CountFailures;
}

export interface CountedLimit {
  readonly name: string;
  /** Seconds that failures count, from the first one on. */
  readonly window: number;
}

/**
 * Adds failures to those of a key; resolves to how many there are now, and for how many seconds they still count.
 *
 * @throws OAuthError temporarily_unavailable if they could not be added
 */
export type CountFailures = (
  key: string,
  failures: number,
) => Promise<{ readonly failures: number; readonly wait: number }>;
