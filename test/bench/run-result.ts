export interface RunResult {
  /** For the terminal. */
  readonly text: string;
  /** What goes into the output folder, by name. */
  readonly files: Readonly<Record<string, string>>;
  /** The figures that are missing, in sentences. */
  readonly refusals: readonly string[];
}
