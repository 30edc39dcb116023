import type { Remark } from './report.js';

/** Thrown if a thing cannot be taken over; `outcomeOf` catches it for each thing, so that it is reported. */
export class LeftOut extends Error {
  constructor(
    reason: string,
    readonly option?: string,
    readonly isExpected = false,
  ) {
    super(reason);
  }
}

/** The outcome of a decision: a thing, or why there is none. */
export type MigrationOutcome<T> =
  { readonly value: T } | { readonly problem: Pick<Remark, 'reason' | 'option' | 'isExpected'> };

/** Whatever is wrong with a thing, the others continue; any other error is rethrown. */
export async function outcomeOf<T>(decide: () => T | Promise<T>): Promise<MigrationOutcome<T>> {
  try {
    return { value: await decide() };
  } catch (error) {
    if (!(error instanceof LeftOut)) throw error;
    const { message: reason, option, isExpected } = error;
    return {
      problem: { reason, ...(option !== undefined && { option }), ...(isExpected && { isExpected }) },
    };
  }
}
