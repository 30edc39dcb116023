/** The exit codes of the process. */
export const EXIT = { done: 0, finding: 1, usage: 2, database: 3 } as const;

/** Ends the command with a sentence on stderr, and advice. */
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

/** The command is valid, but its object is missing or in another state. */
export function notFound(message: string, cure?: string): CliError {
  return new CliError(message, cure, EXIT.finding);
}
