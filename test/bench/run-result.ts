/** What a run has to tell. */
export interface RunResult {
  /** For the terminal. */
  readonly text: string;
  /** What goes into the output folder, by name. */
  readonly files: Readonly<Record<string, string>>;
  /** What could not be told, in sentences. */
  readonly refusals: readonly string[];
}
