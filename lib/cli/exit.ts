/** The exit codes of the process. */
export const EXIT = { done: 0, finding: 1, usage: 2, database: 3 } as const;

/** Ends the command with a sentence on stderr, and another one that says what to do about it. */
export class CliError extends Error {
  override readonly name = 'CliError';

  constructor(
    message: string,
    readonly cure?: string,
    readonly exitCode: (typeof EXIT)[keyof typeof EXIT] = EXIT.usage,
  ) {
    super(message);
  }
}

/** The command is right, but what it names is not there, or not so. */
export function notFound(message: string, cure?: string): CliError {
  return new CliError(message, cure, EXIT.finding);
}
