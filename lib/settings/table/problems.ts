/** The problems of options: one line each. */
export class OptionError extends TypeError {}

/** A function for each member. */
type Functions<Values> = { readonly [Name in keyof Values]: () => Values[Name] };

/** Collects the problems of options, so that one error reports all. */
export class Problems {
  readonly #lines = new Set<string>();

  /** @throws the error, if it is not about an option */
  add(error: unknown): OptionError {
    if (!(error instanceof OptionError)) throw error;
    for (const line of error.message.split('\n')) this.#lines.add(line);
    return error;
  }

  /** Returns undefined if the check finds a problem. */
  attempt<Result>(check: () => Result): Result | undefined {
    try {
      return check();
    } catch (error) {
      this.add(error);
      return undefined;
    }
  }

  /**
   * The results of functions. If a function finds a problem, reading its member throws this problem: a check that reads
   * the member ends with the cause, not with a consequence.
   */
  members<Values extends object>(functions: Functions<Values>): Values {
    const members: Record<string, unknown> = {};
    for (const [name, find] of Object.entries<() => unknown>(functions))
      try {
        members[name] = find();
      } catch (error) {
        const problem = this.add(error);
        const get = () => {
          throw problem;
        };
        Object.defineProperty(members, name, { get, enumerable: true });
      }
    return members as Values;
  }

  /** @throws OptionError with all problems */
  throwAll(): void {
    if (this.#lines.size > 0) throw new OptionError([...this.#lines].join('\n'));
  }
}

/**
 * Runs checks to the end.
 *
 * @throws TypeError with all problems
 */
export function collectProblems<Result>(check: (problems: Problems) => Result): Result {
  const problems = new Problems();
  const result = problems.attempt(() => check(problems));
  problems.throwAll();
  return result as Result;
}
