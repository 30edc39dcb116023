export interface RunResult {
  /** For the terminal. */
  readonly text: string;
  /** The files of the output folder, by name. */
  readonly files: Readonly<Record<string, string>>;
  /** The missing figures, in sentences. */
  readonly refusals: readonly string[];
}
